// One instance of the extension: events go to the engine, its actions are carried out in the host.

import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext, SettingsManager } from "@earendil-works/pi-coding-agent";
import type { Engine } from "./addon.js";
import { type Command, registerCommand } from "./commands.js";
import { component } from "./component.js";
import { answerFacts, type Sources, supplies } from "./facts.js";
import { subscribe, subscribeSettle } from "./handlers.js";
import { cause, entriesBehind, json, session, tell } from "./host.js";
import { type Definition, tool } from "./tools.js";
import type { Answer, Message } from "./values.js";

type Action =
  | { do: "notify"; level: "info" | "warning" | "error"; message: string }
  | { do: "stderr"; line: string }
  | { do: "register"; tools: Definition[] }
  | { do: "commands"; commands: Command[] }
  | { do: "marks"; tag: string }
  | { do: "windows"; standDown: string | null }
  | { do: "answer"; answer: Answer }
  | { do: "entry"; entry: { customType: string; data: unknown } }
  | { do: "message" | "run"; message: Message }
  | { do: "abort" }
  | { do: "build"; build: number }
  | { do: "waitIdle"; wait: number }
  | { do: "listenSettle"; on: boolean }
  | { do: "keep"; cancelCompaction: boolean; resetWindow: boolean }
  | { do: "footer"; text: string }
  | { do: "panel"; lines: string[] };

export interface Instance {
  /** Kept beside the engine, for the case that it cannot answer. */
  readonly closed: { cancelCompaction: boolean; resetWindow: boolean };
  /** Hands an event over and carries out what follows; never throws. Values of the event go with its name. */
  send(ctx: ExtensionContext, event: string, values?: object, sources?: Sources): Promise<Answer>;
  /** Carries out actions in their order. */
  perform(ctx: ExtensionContext, actions: Action[], answer?: Answer, sources?: Sources): Promise<void>;
}

export function instance(pi: ExtensionAPI, engine: Engine, manager: SettingsManager | undefined): Instance {
  const told = new Set<string>();
  let unsubscribeSettle: (() => void) | undefined;
  const running: Instance = {
    closed: { cancelCompaction: false, resetWindow: false },
    async send(ctx, event, values, sources = {}) {
      const answer: Answer = {};
      try {
        const happening = {
          hasUi: ctx.hasUI,
          inTerminal: ctx.mode === "tui",
          session: ctx.sessionManager.getSessionId(),
          leaf: ctx.sessionManager.getLeafId(),
          event: values ? { [event]: values } : event,
        };
        const { fault, actions } = JSON.parse(engine.window(json(happening), answerFacts(ctx, manager, sources)));
        answer.fault = fault;
        await running.perform(ctx, actions, answer, sources);
      } catch (error) {
        answer.fault = true;
        const text = `palimpsest: ${event} failed because of a fault of palimpsest: ${cause(error)}. please report it`;
        if (!told.has(text) && ctx.hasUI) tell(ctx, text);
        told.add(text);
      }
      return answer;
    },
    async perform(ctx, actions, answer = {}, sources = {}) {
      for (const action of actions) {
        const more = carryOut(ctx, action, answer, sources);
        if (more) await more;
      }
    },
  };
  return running;

  /** Carries out one action; gives a promise only where the host has to be waited for. */
  function carryOut(ctx: ExtensionContext, action: Action, answer: Answer, sources: Sources): Promise<void> | undefined {
    switch (action.do) {
      case "notify":
        ctx.ui.notify(action.message, action.level);
        return;
      case "stderr":
        process.stderr.write(`${action.line}\n`);
        return;
      case "register":
        for (const definition of action.tools) pi.registerTool(tool(engine, running, definition));
        return;
      case "commands":
        for (const command of action.commands) registerCommand(pi, running, command);
        return;
      case "marks":
        pi.registerEntryRenderer<{ windowId?: unknown }>(action.tag, ({ data }, _options, theme) =>
          component(theme, (width) => engine.renderMark(json({ windowId: String(data?.windowId ?? ""), width }))),
        );
        return;
      case "windows":
        subscribe(pi, running);
        return into(answer, running.send(ctx, "start", { active: pi.getActiveTools(), standDown: action.standDown }));
      case "answer":
        Object.assign(answer, action.answer);
        return;
      case "entry":
        pi.appendEntry(action.entry.customType, action.entry.data);
        return;
      case "message":
        pi.sendMessage(action.message, { triggerTurn: false });
        return;
      case "run":
        try {
          pi.sendMessage(action.message, { triggerTurn: true });
        } catch (error) {
          return into(answer, running.send(ctx, "sendFailed", { cause: cause(error) }));
        }
        return;
      case "abort":
        ctx.abort();
        return;
      case "build":
        return collect(ctx, action.build, answer, sources);
      case "waitIdle":
        return wait(ctx as ExtensionCommandContext, action.wait, answer);
      case "listenSettle":
        unsubscribeSettle?.();
        unsubscribeSettle = action.on ? subscribeSettle(pi, running) : undefined;
        return;
      case "keep":
        running.closed.cancelCompaction = action.cancelCompaction;
        running.closed.resetWindow = action.resetWindow;
        return;
      case "footer":
        ctx.ui.setStatus("palimpsest", action.text);
        return;
      case "panel":
        ctx.ui.notify(action.lines.join("\n"), "info");
        return;
    }
  }

  async function collect(ctx: ExtensionContext, build: number, answer: Answer, sources: Sources): Promise<void> {
    // The signal of the run that the boot is for: a later run has another one.
    const signal = ctx.signal;
    const needed = supplies(ctx, manager, build);
    let collected = JSON.parse(await engine.collect(json({ ...needed, session: session(ctx) })));
    while (collected.handOver) {
      const handed = entriesBehind(ctx, collected.handOver.after);
      collected = JSON.parse(await engine.collect(json({ ...needed, session: { ...session(ctx), handed } })));
    }
    await into(answer, running.send(ctx, "built", { build, aborted: signal?.aborted ?? false }, sources));
  }

  async function wait(ctx: ExtensionCommandContext, number: number, answer: Answer): Promise<void> {
    await ctx.waitForIdle();
    await into(answer, running.send(ctx, "idle", { wait: number }));
  }

  async function into(answer: Answer, further: Promise<Answer>): Promise<void> {
    Object.assign(answer, await further);
  }
}
