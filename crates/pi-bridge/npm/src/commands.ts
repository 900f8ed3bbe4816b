// A command of the engine as a command of the host.

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { Instance } from "./instance.js";

/** What the engine declares: a command, and the event that it is. */
export interface Command {
  name: string;
  description: string;
  event: string;
  completions: { value: string; label: string; description: string }[];
}

export function registerCommand(pi: ExtensionAPI, running: Instance, { name, description, event, completions }: Command): void {
  pi.registerCommand(name, {
    description,
    getArgumentCompletions: (prefix) => completions.filter(({ value }) => value.startsWith(prefix)),
    async handler(argument, ctx) {
      await running.send(ctx, event, { argument, idle: ctx.isIdle(), running: ctx.signal !== undefined });
    },
  });
}
