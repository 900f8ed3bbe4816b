// The native addon: everything Palimpsest decides, in Rust. All values cross as JSON text.

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

export interface Engine {
  /** Facts at the start of a session in, a list of actions out. */
  sessionStart(facts: string): string;
  /** An event of the session in, `{ fault, actions }` out; it may ask for facts meanwhile. */
  window(happening: string, ask: (question: string) => string): string;
  /** Collects what a boot is made of; out comes `{}`, or `{ handOver: { after } }` where it needs entries of the session. */
  collect(supplies: string): Promise<string>;
  /** The session is over, for this instance. */
  sessionEnd(): void;
  /** A tool call in; out comes `{ result, actions }`, or `{ handOver: { after } }` where it needs entries of the session. */
  call(call: string): Promise<string>;
  /** A view in, lines of segments out; null where there is nothing to draw. */
  renderCall(view: string): string | null;
  renderResult(view: string): string | null;
  renderMark(view: string): string | null;
}

const name = `palimpsest.${process.platform}-${process.arch}.node`;

export const addonPath = fileURLToPath(new URL(`../${name}`, import.meta.url));

export function loadEngine(): Engine {
  const addon = createRequire(import.meta.url)(addonPath) as { Engine: new () => Engine };
  return new addon.Engine();
}
