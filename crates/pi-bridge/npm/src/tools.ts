// A tool of the engine as a tool of the host.

import type { ExtensionAPI, Theme, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { Engine } from "./addon.js";
import { entriesBehind, json, perform, place, session } from "./host.js";

/** What the engine declares: all of a tool but its functions. */
export type Definition = Omit<ToolDefinition, "execute" | "renderCall" | "renderResult">;

type Component = ReturnType<NonNullable<ToolDefinition["renderCall"]>>;
type Segment = { text: string; color: Parameters<Theme["fg"]>[0]; bold?: boolean };

export function tool(pi: ExtensionAPI, engine: Engine, definition: Definition): ToolDefinition {
  const { name } = definition;
  return {
    ...definition,
    async execute(_id, params, _signal, _onUpdate, ctx) {
      const call = { tool: name, params: json(params), place: place(ctx), hasUi: ctx.hasUI };
      const live = session(ctx);
      let answer = JSON.parse(await engine.call(json({ ...call, session: live })));
      while (answer.handOver) {
        const handed = entriesBehind(ctx, answer.handOver.after);
        answer = JSON.parse(await engine.call(json({ ...call, session: { ...live, handed } })));
      }
      perform(pi, ctx, engine, answer.actions);
      return answer.result;
    },
    renderCall(args, theme, context) {
      const view = { tool: name, args, expanded: context.expanded, expandKey: context.keyText("app.tools.expand") };
      return component(theme, (width) => engine.renderCall(json({ ...view, width })));
    },
    renderResult(result, { expanded }, theme, context) {
      const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      const view = { tool: name, text, isError: context.isError, expanded, expandKey: context.keyText("app.tools.expand") };
      return component(theme, (width) => engine.renderResult(json({ ...view, width })));
    },
  };
}

/** Lines drawn by the engine, in the theme's colours, kept until the width or the theme changes. */
function component(theme: Theme, draw: (width: number) => string | null): Component {
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
