// The host as values for the engine.

import { homedir } from "node:os";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

/** Where a call is made. Read anew each time: the session, its directory and the model change under a running host. */
export function place(ctx: ExtensionContext) {
  return {
    cwd: ctx.cwd,
    sessionId: ctx.sessionManager.getSessionId(),
    model: ctx.model?.id,
    home: homedir(),
    notesHome: process.env["PI_NOTES_HOME"],
    notesAgent: process.env["PI_NOTES_AGENT"],
  };
}

/** The live session at the moment of a call. */
export function session({ sessionManager }: ExtensionContext) {
  return {
    file: sessionManager.getSessionFile(),
    dir: sessionManager.getSessionDir(),
    leaf: sessionManager.getLeafId(),
    agentDir: process.env["PI_CODING_AGENT_DIR"],
    sessionsDir: process.env["PI_CODING_AGENT_SESSION_DIR"],
  };
}

/** The entries of the live session behind one of them; all of them where there is none, or not any more. */
export function entriesBehind({ sessionManager }: ExtensionContext, after: string | null) {
  const entries = sessionManager.getEntries();
  const known = entries.findLastIndex(({ id }) => id === after) + 1;
  return {
    after: known > 0 ? after : null,
    header: JSON.stringify(sessionManager.getHeader()),
    // As the host writes them to its file: one a line, lone surrogates escaped.
    entries: entries.slice(known).map((entry) => JSON.stringify(entry)).join("\n"),
    last: entries.slice(known).at(-1)?.id,
  };
}

export function startFacts(pi: ExtensionAPI, ctx: ExtensionContext) {
  return {
    hasUi: ctx.hasUI,
    place: place(ctx),
    host: { packageDir: process.env["PI_PACKAGE_DIR"], script: process.argv[1], program: process.execPath },
    // A host that is too old may lack the list, and has to be told that it is too old.
    tools: pi.getAllTools?.().map(({ name, sourceInfo }) => ({ name, sourceInfo })),
    commands: pi.getCommands?.().flatMap(({ name, source, sourceInfo }) => (source === "extension" ? { name, sourceInfo } : [])),
  };
}

/** JSON for the engine. Rust's strings hold no lone surrogates, which a model can write. */
export function json(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === "string" ? item.toWellFormed() : item));
}

/** Says that the extension does not work, where a person can see it. */
export function tell(ctx: ExtensionContext, text: string): void {
  const line = text.replace(/\s+/g, " ");
  if (ctx.hasUI) ctx.ui.notify(line, "error");
  else process.stderr.write(`${line}\n`);
}

/** The first line of what was thrown. */
export function cause(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split("\n")[0] ?? "";
}
