/** Requests that outlast a lost connection: sent again, more and more patiently, until the server answers. */

import type { ProblemDetails } from "./types";

/** The server's refusal, which sending again would not change. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly details: ProblemDetails,
  ) {
    super(details.detail);
  }

  get code(): string {
    return this.details.code;
  }
}

export interface Message {
  method: "GET" | "POST" | "PUT";
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

interface Reply {
  ok: boolean;
  status: number;
  body: unknown;
  /** Seconds that the server asks us to wait. */
  patience: number;
}

// Passing troubles of a server or of what stands before it.
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);
// A server error that is still there after so many attempts is not passing.
const MOST_SERVER_ERRORS = 3;
// Longer than the server lets a request wait for a free core.
const TIMEOUT_MS = 40_000;
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 8_000;
// A server that wants more patience than this is asked again by the person, not by us.
const MOST_RETRY_AFTER_S = 60;

export class Connection {
  /** What could not be sent yet, and why. */
  private readonly waiting = new Map<Message, string>();
  private readonly sleepers = new Set<() => void>();

  /** @param report - Told why something has to wait, and with null when nothing does any more. */
  constructor(private readonly report: (lost: string | null) => void) {
    addEventListener("online", () => this.tryNow());
  }

  /** Send at once what waits for its next attempt. */
  tryNow(): void {
    for (const wake of [...this.sleepers]) wake();
  }

  /** The body of the server's answer. Whatever is sent must count once when it arrives twice. */
  async send(message: Message, signal?: AbortSignal): Promise<unknown> {
    try {
      for (let attempt = 0; ; attempt += 1) {
        const reply = await this.attempt(message, signal);
        if (reply?.ok) return reply.body;
        const patience = reply?.patience ?? 0;
        if (reply !== null && !passes(reply.status, attempt, patience)) throw problemOf(reply);
        this.wait(message, whyNot(reply));
        await this.pause(Math.max(pauseAfter(attempt), patience * 1000), signal);
      }
    } finally {
      if (this.waiting.delete(message)) this.tell();
    }
  }

  /** One attempt; null when nothing came back, or not all of it. */
  private async attempt(message: Message, signal?: AbortSignal): Promise<Reply | null> {
    const cut = new AbortController();
    const timer = setTimeout(() => cut.abort(), TIMEOUT_MS);
    const leave = (): void => cut.abort();
    signal?.addEventListener("abort", leave);
    try {
      const response = await fetch(message.path, requestOf(message, cut.signal));
      const text = await response.text();
      const patience = Number(response.headers.get("Retry-After") ?? 0) || 0;
      return { ok: response.ok, status: response.status, body: parsed(text, response.ok), patience };
    } catch {
      signal?.throwIfAborted();
      return null;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
    }
  }

  private pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.sleepers.delete(end);
        if (signal?.aborted) reject(signal.reason as Error);
        else resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.sleepers.add(end);
      signal?.addEventListener("abort", end, { once: true });
    });
  }

  private wait(message: Message, why: string): void {
    this.waiting.set(message, why);
    this.tell();
  }

  private tell(): void {
    this.report([...this.waiting.values()].at(-1) ?? null);
  }
}

const TROUBLES: Record<string, string> = {
  "storage-unavailable": "The server cannot store answers at the moment.",
  busy: "The server is very busy.",
  draining: "The server is restarting.",
  "too-many-requests": "That was faster than the server allows.",
};

/** What stands in the way, for a person. */
function whyNot(reply: Reply | null): string {
  const { code = "" } = (reply?.body ?? {}) as Partial<ProblemDetails>;
  return TROUBLES[code] ?? "The server cannot be reached.";
}

function passes(status: number, attempt: number, patience: number): boolean {
  if (!PASSING.has(status) || patience > MOST_RETRY_AFTER_S) return false;
  return status !== 500 || attempt + 1 < MOST_SERVER_ERRORS;
}

/** Doubles, with some chance in it, so that many pages do not return to a server at the same moment. */
function pauseAfter(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * (0.8 + 0.4 * Math.random());
}

function requestOf({ method, body, headers }: Message, signal: AbortSignal): RequestInit {
  const accepted = { Accept: "application/json", ...headers };
  if (body === undefined) return { method, signal, headers: accepted };
  return { method, signal, headers: { ...accepted, "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

/** A body as JSON. What stands before a server may answer an error in HTML; a success must be whole. */
function parsed(text: string, whole: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (whole) throw error;
    return null;
  }
}

function problemOf(reply: Reply): Problem {
  const unknown: ProblemDetails = {
    type: "about:blank",
    title: "Unexpected answer",
    status: reply.status,
    code: "unexpected",
    detail: `The server answered with ${reply.status}.`,
    action: "Try again in a while.",
  };
  return new Problem(reply.status, { ...unknown, ...(reply.body as Partial<ProblemDetails> | null) });
}
