/** The engine in a worker: loads what was published, then answers one call after the other. */

import { Conversations, EngineProblem, type Stored } from "./conversations";
import { World } from "./policy";
import { unpacked } from "./publication";

type Method = "catalogs" | "attributes" | "open" | "session" | "answer" | "hint" | "undo" | "revise" | "contradictions" | "filter" | "recommendations" | "history" | "profile" | "log";

export interface Call {
  number: number;
  method: Method;
  given: unknown[];
  /** Of the conversation that the call is about. */
  id: string | null;
  /** What is stored of it, if the engine may not know. */
  stored: Stored | null;
}

export interface Reply {
  number: number;
  method: Method;
  result: unknown;
  /** What is to be stored of the conversation now; null if it has not changed. */
  stored: Stored | null;
  problem: { status: number; code: string; detail: string; action: string } | null;
  /** How long the engine took. */
  milliseconds: number;
}

const CHANGING = new Set<Method>(["open", "answer", "hint", "undo", "revise", "filter"]);

/** The page asks for more right after an answer: that comes first. */
const PAUSE_MS = 50;

let ready: Promise<Conversations> | null = null;

async function loaded(packed: ArrayBuffer): Promise<Conversations> {
  return new Conversations(new World(await unpacked(packed)));
}

async function replied({ number, method, given, id, stored }: Call): Promise<Reply> {
  const conversations = await ready!;
  const start = performance.now();
  const common = { number, method };
  try {
    if (stored !== null) conversations.load(stored);
    const result = (conversations[method] as (...values: unknown[]) => unknown).apply(conversations, given);
    const changed = id !== null && CHANGING.has(method) ? conversations.stored(id) : null;
    return { ...common, result, stored: changed, problem: null, milliseconds: performance.now() - start };
  } catch (error) {
    if (!(error instanceof EngineProblem)) throw error;
    const { status, code, message: detail, action } = error;
    return { ...common, result: null, stored: null, problem: { status, code, detail, action }, milliseconds: performance.now() - start };
  }
}

/** Go on with what may come next, a little at a time, so that a call never waits long. */
async function thinkAhead(id: string, number: number): Promise<void> {
  const conversations = await ready!;
  if (number === latest && conversations.thinkAhead(id)) setTimeout(() => void thinkAhead(id, number));
}

let latest = 0;

// Only an error that is thrown reaches the page.
addEventListener("unhandledrejection", ({ reason }) => {
  throw reason;
});

addEventListener("message", ({ data }: MessageEvent<Call | { load: ArrayBuffer }>) => {
  if ("load" in data) ready = loaded(data.load);
  else {
    if (data.id !== null) latest = data.number;
    void replied(data).then((reply) => {
      postMessage(reply);
      if (data.id !== null && reply.problem === null) setTimeout(() => void thinkAhead(data.id!, data.number), PAUSE_MS);
    });
  }
});
