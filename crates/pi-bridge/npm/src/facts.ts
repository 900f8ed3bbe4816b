// Facts that the engine asks for while it handles an event.

import { type ExtensionContext, getAgentDir, type SessionEntry, SettingsManager } from "@earendil-works/pi-coding-agent";
import { cause, json, place } from "./host.js";
import { type AgentMessage, entryValue, weigh } from "./values.js";

/** What the event itself says, ahead of what the host would say. */
export interface Sources {
  pendingMessages?: readonly unknown[];
  messages?: readonly AgentMessage[];
}

type Question = { what: "branch"; leaf: string | null; after: string | null } | { what: "settings" | "queued" | "usage" | "projection" | "place" };

export function answerFacts(ctx: ExtensionContext, manager: SettingsManager | undefined, sources: Sources) {
  return (text: string): string => {
    const question = JSON.parse(text) as Question;
    return json(answer(question) ?? null);
  };

  function answer(question: Question) {
    switch (question.what) {
      case "branch":
        return stretch(ctx, question.leaf, question.after);
      case "settings":
        return settings(ctx, manager);
      case "queued":
        return (sources.pendingMessages?.length ?? 0) > 0 || ctx.hasPendingMessages();
      case "usage":
        return usage(ctx);
      case "projection":
        return (sources.messages ?? ctx.sessionManager.buildSessionProjection().messages).map(weigh);
      case "place":
        return place(ctx);
    }
  }
}

/** What a boot is made of beyond the session itself. */
export function supplies(ctx: ExtensionContext, manager: SettingsManager | undefined, build: number) {
  return { build, place: place(ctx), settings: settings(ctx, manager), contextWindow: contextWindow(ctx) };
}

/** Size of the context window of the model that answers. */
export function contextWindow(ctx: ExtensionContext): number | undefined {
  return ctx.getContextUsage()?.contextWindow ?? ctx.model?.contextWindow;
}

function usage(ctx: ExtensionContext) {
  const known = ctx.getContextUsage();
  return { tokens: known?.tokens, contextWindow: known?.contextWindow ?? ctx.model?.contextWindow };
}

function settings(ctx: ExtensionContext, manager: SettingsManager | undefined) {
  const live = manager !== undefined;
  try {
    const asked = manager ?? SettingsManager.create(ctx.cwd, getAgentDir(), { projectTrusted: ctx.isProjectTrusted() });
    const { enabled, reserveTokens } = asked.getCompactionSettings(ctx.model);
    const key = "pi-context";
    const scope = (settings: object) => (settings as Record<string, unknown>)[key];
    return {
      live,
      automatic: enabled,
      reserve: reserveTokens,
      global: scope(asked.getGlobalSettings()),
      project: scope(asked.getProjectSettings()),
    };
  } catch (error) {
    return { live, error: cause(error) };
  }
}

/** The branch up to a leaf, from behind an entry on it; all of it where that is none, or not on it. */
function stretch({ sessionManager }: ExtensionContext, leaf: string | null, after: string | null) {
  const path: SessionEntry[] = [];
  const entry = (id: string | null) => (id === null ? undefined : sessionManager.getEntry(id));
  let next = entry(leaf);
  while (next && next.id !== after) {
    path.push(next);
    next = entry(next.parentId);
  }
  return {
    session: sessionManager.getSessionId(),
    startedAt: Date.parse(sessionManager.getHeader()?.timestamp ?? ""),
    after: next?.id,
    entries: path.reverse().map(entryValue),
  };
}
