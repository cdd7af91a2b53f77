/** Requests that survive a lost connection: they are sent again, less and less often, until the server replies. */

import { currentLanguage, type Key, t } from "./messages";
import type { ProblemDetails } from "./types";

/** An error reply that sending the request again would not change. */
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
  retryAfter: number;
}

// What a server, or a proxy before it, replies while it cannot do better.
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504]);
// An internal error that is still there after this many attempts is not transient.
const MAX_INTERNAL_ERRORS = 3;
// Longer than the server lets a request wait for a free core.
const TIMEOUT_MS = 40_000;
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 8_000;
// When the server wants a longer pause than this, the person decides when to try again.
const MAX_RETRY_AFTER_S = 60;

export class Connection {
  /** The requests that wait to be sent again, and why. */
  private readonly waiting = new Map<Message, string>();
  private readonly pauses = new Set<() => void>();

  /** @param onWaiting - Called with the reason when a request has to wait, and with null when none does any more. */
  constructor(private readonly onWaiting: (reason: string | null) => void) {
    addEventListener("online", () => this.retryNow());
  }

  /** Send what waits for its next attempt at once. */
  retryNow(): void {
    for (const end of [...this.pauses]) end();
  }

  /** The body of the server's reply. The message may arrive twice and must count once. Throws once it is aborted. */
  async send(message: Message, signal: AbortSignal): Promise<unknown> {
    try {
      for (let attempt = 0; ; attempt += 1) {
        signal.throwIfAborted();
        const reply = await this.attempt(message, signal);
        signal.throwIfAborted();
        if (reply?.ok) return reply.body;
        const retryAfter = reply?.retryAfter ?? 0;
        if (reply !== null && !isTransient(reply.status, attempt, retryAfter)) throw problemOf(reply);
        this.waiting.set(message, reasonOf(reply));
        this.notify();
        await this.pause(Math.max(backoff(attempt), retryAfter * 1000), signal);
      }
    } finally {
      if (this.waiting.delete(message)) this.notify();
    }
  }

  /** One attempt; null when no reply came back, or only part of it. */
  private async attempt(message: Message, signal: AbortSignal): Promise<Reply | null> {
    const request = new AbortController();
    const abort = (): void => request.abort();
    const timer = setTimeout(abort, TIMEOUT_MS);
    signal.addEventListener("abort", abort);
    try {
      const response = await fetch(message.path, requestOf(message, request.signal));
      const text = await response.text();
      const retryAfter = Number(response.headers.get("Retry-After") ?? 0) || 0;
      return { ok: response.ok, status: response.status, body: parse(text, response.ok), retryAfter };
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  /** Wait this long, or until `retryNow` or the signal ends it. */
  private pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.pauses.delete(end);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.pauses.add(end);
      signal.addEventListener("abort", end);
    });
  }

  private notify(): void {
    this.onWaiting([...this.waiting.values()].at(-1) ?? null);
  }
}

const REASONS = {
  "storage-unavailable": "waiting.storage",
  busy: "waiting.busy",
  draining: "waiting.draining",
  "too-many-requests": "waiting.fast",
} as const satisfies Record<string, Key>;

/** Why a request has to wait, in words. */
function reasonOf(reply: Reply | null): string {
  const { code = "" } = (reply?.body ?? {}) as Partial<ProblemDetails>;
  return t(code in REASONS ? REASONS[code as keyof typeof REASONS] : "waiting.unreachable");
}

function isTransient(status: number, attempt: number, retryAfter: number): boolean {
  if (!TRANSIENT.has(status) || retryAfter > MAX_RETRY_AFTER_S) return false;
  return status !== 500 || attempt + 1 < MAX_INTERNAL_ERRORS;
}

/** Doubles, with some jitter, so that many pages do not return to a server at the same moment. */
function backoff(attempt: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * (0.8 + 0.4 * Math.random());
}

function requestOf({ method, body, headers }: Message, signal: AbortSignal): RequestInit {
  const accepted = { Accept: "application/json", "Accept-Language": currentLanguage(), ...headers };
  if (body === undefined) return { method, signal, headers: accepted };
  return { method, signal, headers: { ...accepted, "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

/** A body as JSON. A proxy may send an error as HTML; a success must be complete. */
function parse(text: string, ok: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (ok) throw error;
    return null;
  }
}

function problemOf(reply: Reply): Problem {
  const unexpected: ProblemDetails = {
    type: "about:blank",
    title: t("problem.wrong"),
    status: reply.status,
    code: "unexpected",
    detail: t("problem.unexpected", { status: String(reply.status) }),
    action: t("problem.later"),
  };
  return new Problem(reply.status, { ...unexpected, ...(reply.body as Partial<ProblemDetails> | null) });
}
