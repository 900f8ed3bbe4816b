// The host's events as the engine's, and its answers as the host's.

import type { AgentBeforeSettleEvent, BoundaryResult, ExtensionAPI, ExtensionContext, TurnEndEvent } from "@earendil-works/pi-coding-agent";
import { getCurrentSystemMessage, isContextOverflow, isRecoverableLength, type Message as LlmMessage } from "@earendil-works/pi-ai";
import { contextWindow } from "./facts.js";
import type { Instance } from "./instance.js";
import { type AgentMessage, type Message, weigh } from "./values.js";

/** Hands over every event of a session but its start and end, and its settlements. */
export function subscribe(pi: ExtensionAPI, running: Instance): void {
  pi.on("session_tree", async (_event, ctx) => void (await running.send(ctx, "tree")));
  pi.on("model_select", async (_event, ctx) => void (await running.send(ctx, "modelSelect")));
  pi.on("before_agent_start", async (_event, ctx) => {
    const { message } = await running.send(ctx, "beforeRun");
    return message && { message };
  });
  pi.on("context_with_system", async ({ messages }, ctx) => {
    const { request, fault } = await running.send(ctx, "context", { messages: messages.map(weigh), aborted: aborted(ctx) }, { messages });
    if (fault) return closedRequest(running, ctx, messages);
    if (!request) return;
    const { fold, keep, append } = request;
    const kept = keep.flatMap((index) => messages[index] ?? []);
    return { messages: [...folded(fold.flatMap((index) => messages[index] ?? [])), ...kept, ...append.map(custom)] };
  });
  pi.on("turn_start", async (_event, ctx) => void (await running.send(ctx, "turnStart")));
  pi.on("turn_end", (event, ctx) => {
    const { message, outcome, toolResults } = event;
    const stop = message.role === "assistant" ? message.stopReason : undefined;
    return boundary(running, ctx, event, "turnEnd", { outcome, stop, aborted: aborted(ctx), overflow: overflow(ctx, message), tools: toolResults.length > 0 });
  });
  pi.on("agent_end", async (_event, ctx) => void (await running.send(ctx, "runEnd", { aborted: aborted(ctx) })));
  pi.on("agent_settled", async ({ aborted }, ctx) => void (await running.send(ctx, "settled", { aborted })));
  pi.on("session_before_compact", async ({ reason, signal }, ctx) => {
    const { cancel, fault } = await running.send(ctx, "beforeCompact", { manual: reason === "manual", aborted: signal.aborted });
    if (cancel || (fault && running.closed.cancelCompaction)) return { cancel: true };
    return;
  });
  pi.on("session_before_tree", async ({ preparation }, ctx) => {
    const { summary } = await running.send(ctx, "beforeTree", { wantsSummary: preparation.userWantsSummary, target: preparation.targetId });
    return summary && { summary };
  });
}

/** Hands over settlements, until the function that it gives is called. */
export function subscribeSettle(pi: ExtensionAPI, running: Instance): () => void {
  return pi.on("agent_before_settle", (event, ctx) =>
    boundary(running, ctx, event, "beforeSettle", { outcome: event.outcome, aborted: aborted(ctx) }),
  );
}

/** The answer to a boundary: what others proposed stays ahead of what is ours. */
async function boundary(
  running: Instance,
  ctx: ExtensionContext,
  event: TurnEndEvent | AgentBeforeSettleEvent,
  name: string,
  values: object,
): Promise<BoundaryResult | undefined> {
  const { pendingMessages, contextMessages } = event.context;
  const { boundary } = await running.send(ctx, name, values, { pendingMessages, messages: contextMessages });
  if (!boundary) return;
  const entries = [...event.entries, ...boundary.entries];
  if (boundary.continue !== undefined) return { entries, continue: boundary.continue };
  return entries.length > 0 ? { entries } : undefined;
}

/** The request where the engine cannot answer: nothing that a wipe has cut off, and the system's state in front. */
function closedRequest(running: Instance, ctx: ExtensionContext, messages: AgentMessage[]) {
  if (running.closed.resetWindow) {
    ctx.abort();
    return { messages: folded(messages) };
  }
  const first = messages.findIndex(({ role }) => role === "system");
  return first > 0 ? { messages: [...messages.splice(first, 1), ...messages] } : undefined;
}

/** The system's state after these messages, as the one message that says it. */
function folded(messages: AgentMessage[]): AgentMessage[] {
  const head = getCurrentSystemMessage(messages.filter(({ role }) => role === "system") as LlmMessage[] & Parameters<typeof getCurrentSystemMessage>[0]);
  return head ? [head] : [];
}

function custom(message: Message): AgentMessage {
  return { role: "custom", ...message, timestamp: Date.now() };
}

function overflow(ctx: ExtensionContext, message: AgentMessage): boolean {
  if (message.role !== "assistant") return false;
  const recoverable = ctx.model !== undefined && isRecoverableLength(message, ctx.model.maxTokens);
  return recoverable || isContextOverflow(message, contextWindow(ctx));
}

function aborted({ signal }: ExtensionContext): boolean {
  return signal?.aborted ?? false;
}
