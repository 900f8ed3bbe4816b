// Values that cross between engine and host: what the engine answers, entries of a session, weights of messages.

import { convertToLlm, type ContextEvent, type SessionBoundaryDraft, type SessionEntry } from "@earendil-works/pi-coding-agent";
import { getSystemMessageText } from "@earendil-works/pi-ai";

export type AgentMessage = ContextEvent["messages"][number];

/** A message of ours. */
export type Message = { customType: string; content: string; display: boolean; details?: { windowId: string } };

/** What the engine answers to an event. */
export interface Answer {
  /** It could not answer. */
  fault?: boolean;
  message?: Message;
  boundary?: { entries: SessionBoundaryDraft[]; continue?: boolean };
  request?: { fold: number[]; keep: number[]; append: Message[] };
  cancel?: true;
  summary?: { summary: string };
  result?: { content: { type: "text"; text: string }[]; details: undefined };
}

/** An entry as windows see it. */
export function entryValue(entry: SessionEntry) {
  return { id: entry.id, at: Date.parse(entry.timestamp), kind: kind(entry) };
}

function kind(entry: SessionEntry) {
  switch (entry.type) {
    case "message":
      return spoken(entry.message);
    case "custom_message":
      return { customMessage: { tag: entry.customType, display: entry.display, windowId: text(entry.details, "windowId") } };
    case "custom":
      return { custom: { tag: entry.customType, windowId: text(entry.data, "windowId") } };
    case "compaction":
      return {
        compaction: {
          empty: entry.summary === "",
          keepsItself: entry.firstKeptEntryId === entry.id,
          by: text(entry.details, "by"),
          windowId: text(entry.details, "windowId"),
          cause: text(entry.details, "cause"),
          data: JSON.stringify((entry.details as { data?: unknown } | null | undefined)?.data),
        },
      };
    case "branch_summary":
      return "branchSummary";
    default:
      return "metadata";
  }
}

function spoken(message: AgentMessage) {
  switch (message.role) {
    case "user":
      return "user";
    case "assistant":
      return {
        assistant: {
          calls: message.content.some(({ type }) => type === "toolCall"),
          text: message.content.some((part) => part.type === "text" && part.text.trim() !== ""),
          stop: message.stopReason,
          usage: message.usage ?? {},
        },
      };
    case "toolResult":
      return { toolResult: { tool: message.toolName, failed: message.isError } };
    default:
      return "otherMessage";
  }
}

/** A message of a request, as what it weighs in the form that the provider gets. */
export function weigh(message: AgentMessage) {
  const [sent] = convertToLlm([message]);
  return { at: message.timestamp, body: sent ? body(message, sent) : "unsent" };
}

function body(message: AgentMessage, sent: ReturnType<typeof convertToLlm>[number]) {
  switch (sent.role) {
    case "system":
      return { system: { text: getSystemMessageText(sent).length, added: listed(sent.toolsAdded), removed: listed(sent.toolsRemoved) } };
    case "assistant": {
      const units = sent.content.map((part) => {
        if (part.type === "text") return part.text.length;
        if (part.type === "thinking") return part.thinking.length;
        return part.name.length + JSON.stringify(part.arguments).length;
      });
      return { assistant: { units: units.reduce((sum, length) => sum + length, 0), stop: sent.stopReason, usage: sent.usage ?? {} } };
    }
    case "toolResult":
      return { toolResult: weight(sent.content) };
  }
  const { content } = sent;
  switch (message.role) {
    case "user":
      return { user: weight(content) };
    case "custom":
      return { custom: { tag: message.customType, windowId: text(message.details, "windowId"), weight: weight(content) } };
    case "compactionSummary":
      return { summary: { empty: message.summary === "", weight: weight(content) } };
    default:
      return { other: weight(content) };
  }
}

function weight(content: string | { type: string; text?: string }[]) {
  if (typeof content === "string") return { text: content.length, blocks: 0 };
  const texts = content.filter(({ type }) => type === "text");
  return { text: texts.reduce((sum, part) => sum + (part.text?.length ?? 0), 0), blocks: content.length - texts.length };
}

function listed(tools: unknown[] | undefined): number {
  return tools?.length ? JSON.stringify(tools).length : 0;
}

/** The text under a key of a plain object. */
function text(object: unknown, key: string): string | undefined {
  if (typeof object !== "object" || object === null || Array.isArray(object)) return undefined;
  const value = (object as Record<string, unknown>)[key];
  return typeof value === "string" ? value : undefined;
}
