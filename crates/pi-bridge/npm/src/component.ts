// What the engine draws, as a component of the host.

import type { Theme, ToolDefinition } from "@earendil-works/pi-coding-agent";

type Component = ReturnType<NonNullable<ToolDefinition["renderCall"]>>;
type Segment = { text: string; color: Parameters<Theme["fg"]>[0]; bold?: boolean };

/** Lines drawn by the engine, in the theme's colours, kept until the width or the theme changes. */
export function component(theme: Theme, draw: (width: number) => string | null): Component {
  let drawn: { width: number; lines: string[] } | undefined;
  return {
    render(width) {
      if (drawn?.width === width) return drawn.lines;
      const lines = (JSON.parse(draw(width) ?? "[]") as Segment[][]).map(paint);
      drawn = { width, lines };
      return lines;
    },
    invalidate() {
      drawn = undefined;
    },
  };

  function paint(line: Segment[]): string {
    return line.map(({ text, color, bold }) => theme.fg(color, bold ? theme.bold(text) : text)).join("");
  }
}
