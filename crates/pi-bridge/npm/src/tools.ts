// A tool of the engine as a tool of the host.

import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { Engine } from "./addon.js";
import { component } from "./component.js";
import { entriesBehind, json, place, session } from "./host.js";
import type { Instance } from "./instance.js";

/** What the engine declares: all of a tool but its functions, and the event that a call is, for some. */
export type Definition = Omit<ToolDefinition, "execute" | "renderCall" | "renderResult"> & { event?: string };

export function tool(engine: Engine, running: Instance, { event, ...definition }: Definition): ToolDefinition {
  const { name } = definition;
  return {
    ...definition,
    async execute(_id, params, _signal, _onUpdate, ctx) {
      if (event) return (await running.send(ctx, event)).result ?? failed(name);
      const call = { tool: name, params: json(params), place: place(ctx), hasUi: ctx.hasUI };
      const live = session(ctx);
      let answer = JSON.parse(await engine.call(json({ ...call, session: live })));
      while (answer.handOver) {
        const handed = entriesBehind(ctx, answer.handOver.after);
        answer = JSON.parse(await engine.call(json({ ...call, session: { ...live, handed } })));
      }
      await running.perform(ctx, answer.actions);
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

/** The answer where the engine has none; a person was told why. */
function failed(name: string) {
  const error = { error: `${name} failed because of a fault of palimpsest`, code: "internal" };
  return { content: [{ type: "text" as const, text: JSON.stringify(error, null, 2) }], details: undefined, structuredContent: error, isError: true };
}
