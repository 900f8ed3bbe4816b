// The extension as Pi loads it. Loading subscribes to one event and does nothing else; the rest waits for a session.

import type { ExtensionAPI, SettingsManager } from "@earendil-works/pi-coding-agent";
import { addonPath, loadEngine } from "./addon.js";
import { cause, json, startFacts, tell } from "./host.js";
import { instance } from "./instance.js";

/** The extension with the host's settings files. */
export default function palimpsest(pi: ExtensionAPI): void {
  extension(pi, undefined);
}

/** The extension for a program that embeds Pi: this manager is then the only source of settings, asked anew each time. */
export function withSettings(manager: SettingsManager): (pi: ExtensionAPI) => void {
  return (pi) => extension(pi, manager);
}

function extension(pi: ExtensionAPI, manager: SettingsManager | undefined): void {
  let started = false;
  pi.on("session_start", async (_event, ctx) => {
    if (started) return;
    started = true;
    try {
      const engine = loadEngine();
      const running = instance(pi, engine, manager);
      pi.on("session_shutdown", async (_event, ctx) => {
        await running.send(ctx, "shutdown");
        engine.sessionEnd();
      });
      await running.perform(ctx, JSON.parse(engine.sessionStart(json(startFacts(pi, ctx)))));
    } catch (error) {
      // Without the addon there is nobody else to find words. What follows the first line is Node's search path.
      tell(ctx, `palimpsest: nothing was registered, because the addon ${addonPath} does not work: ${cause(error)}. reinstall pi-palimpsest, then restart pi`);
    }
  });
}
