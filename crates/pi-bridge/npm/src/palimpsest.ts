// The extension as Pi loads it. Loading subscribes to one event and does nothing else; the rest waits for a session.

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { addonPath, loadEngine } from "./addon.js";
import { json, perform, startFacts, tell } from "./host.js";

export default function palimpsest(pi: ExtensionAPI): void {
  let started = false;
  pi.on("session_start", (_event, ctx) => {
    if (started) return;
    started = true;
    try {
      const engine = loadEngine();
      pi.on("session_shutdown", () => engine.sessionEnd());
      perform(pi, ctx, engine, JSON.parse(engine.sessionStart(json(startFacts(pi, ctx)))));
    } catch (error) {
      // Without the addon there is nobody else to find words. What follows the first line is Node's search path.
      const [cause] = String(error instanceof Error ? error.message : error).split("\n");
      tell(ctx, `palimpsest: nothing was registered, because the addon ${addonPath} does not work: ${cause}. reinstall pi-palimpsest, then restart pi`);
    }
  });
}
