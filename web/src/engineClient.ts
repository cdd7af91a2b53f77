/** The client of a published page: the engine in a worker, and conversations in the storage of the browser. */

import type { Client, SessionRef } from "./api";
import { collected } from "./collecting";
import { Problem } from "./connection";
import type { Stored } from "./engine/conversations";
import type { Call, Reply } from "./engine/worker";
import { currentLanguage, t } from "./messages";
import { embeddedBytes, type Published } from "./published";
import { requestedLanguage } from "./route";
import type * as wire from "./types";

/** Conversations that are kept; the oldest make room. */
const MOST_KEPT = 20;
const PREFIX = "rather:conversation:";

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

export class EngineClient implements Client {
  private engine: Promise<Worker> | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private count = 0;
  /** What this page last stored of each conversation; another one may have gone on with it. */
  private readonly mine = new Map<string, string>();

  constructor(private readonly published: Published) {}

  catalogs(signal: AbortSignal): Promise<wire.Catalog[]> {
    return this.call("catalogs", [], signal);
  }

  attributes(_catalog: string, signal: AbortSignal): Promise<wire.Attributes> {
    return this.call("attributes", [this.language()], signal);
  }

  open(settings: wire.NewSession, key: string, signal: AbortSignal): Promise<wire.Session> {
    return this.call("open", [settings, key, now(), this.language()], signal, key);
  }

  session(ref: SessionRef, signal: AbortSignal): Promise<wire.Session> {
    return this.call("session", [ref, this.language()], signal, idOf(ref));
  }

  answer(session: string, question: string, choice: wire.Choice, signal: AbortSignal): Promise<wire.Session> {
    return this.call("answer", [session, question, choice, now(), this.language()], signal, session);
  }

  hint(session: string, hint: wire.NewHint, _key: string, signal: AbortSignal): Promise<wire.Session> {
    return this.call("hint", [session, hint, now(), this.language()], signal, session);
  }

  undo(session: string, answer: string, signal: AbortSignal): Promise<wire.Session> {
    return this.call("undo", [session, answer, now(), this.language()], signal, session);
  }

  revise(session: string, answer: string, choice: wire.Choice, _key: string, signal: AbortSignal): Promise<wire.Session> {
    return this.call("revise", [session, answer, choice, now(), this.language()], signal, session);
  }

  contradictions(session: string, signal: AbortSignal): Promise<wire.Contradiction[]> {
    return this.call("contradictions", [session, this.language()], signal, session);
  }

  filter(session: string, filters: wire.Filter[], _where: string | null, _key: string, signal: AbortSignal): Promise<wire.Session> {
    return this.call("filter", [session, filters, this.language()], signal, session);
  }

  recommendations(ref: SessionRef, limit: number, offset: number, signal: AbortSignal): Promise<wire.Recommendations> {
    return this.call("recommendations", [ref, limit, offset, this.language()], signal, idOf(ref));
  }

  history(ref: SessionRef, signal: AbortSignal): Promise<wire.History> {
    return this.call("history", [ref, this.language()], signal, idOf(ref));
  }

  profile(ref: SessionRef, signal: AbortSignal): Promise<wire.Profile> {
    return this.call("profile", [ref, this.language()], signal, idOf(ref));
  }

  finished(session: string): void {
    const { collect } = this.published;
    if (collect !== null) void collected(collect, session, () => this.call("log", [session], new AbortController().signal, session));
  }

  private language(): string {
    const { language, languages } = this.published;
    const wanted = language ?? requestedLanguage;
    return wanted !== null && languages.includes(wanted) ? wanted : currentLanguage();
  }

  private async start(): Promise<Worker> {
    const { engine, data } = this.published;
    const script = engine ?? URL.createObjectURL(new Blob([embeddedBytes("rather-engine")], { type: "text/javascript" }));
    // No module: a browser does not load one from a page that was opened from a disk.
    const worker = new Worker(script);
    worker.addEventListener("message", ({ data: reply }: MessageEvent<Reply>) => this.receive(reply));
    const failed = new Promise<never>((_, reject) => worker.addEventListener("error", reject));
    failed.catch(() => this.fail(worker));
    try {
      const bytes = data === null ? embeddedBytes("rather-data").buffer : await Promise.race([fetched(data), failed]);
      worker.postMessage({ load: bytes }, [bytes]);
    } catch (error) {
      this.fail(worker);
      throw error;
    }
    return worker;
  }

  /** Ask the engine. About a conversation that this page has not changed last, it is told first what is stored.
   *  @param id - Of the conversation that the call may change. */
  private async call<Result>(method: Call["method"], given: unknown[], signal: AbortSignal, id: string | null = null): Promise<Result> {
    signal.throwIfAborted();
    const worker = await (this.engine ??= this.start()).catch(() => {
      throw unusable();
    });
    const kept = id === null || method === "open" ? null : keptText(id);
    const stored = kept !== null && kept !== this.mine.get(id!) ? (JSON.parse(kept) as Stored) : null;
    if (kept !== null) this.mine.set(id!, kept);
    const number = (this.count += 1);
    const call: Call = { number, method, given, id, stored };
    const result = await new Promise<unknown>((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      worker.postMessage(call);
    });
    signal.throwIfAborted();
    return result as Result;
  }

  private receive(reply: Reply): void {
    const waiting = this.waiting.get(reply.number);
    this.waiting.delete(reply.number);
    if (reply.stored !== null) this.keep(reply.stored);
    performance.measure(`rather:${reply.method}`, { start: performance.now() - reply.milliseconds, duration: reply.milliseconds });
    if (reply.problem === null) waiting?.resolve(reply.result);
    else waiting?.reject(problemOf(reply.problem));
  }

  /** The engine could not be loaded, or has failed: the next call starts it again, and tells it what is stored. */
  private fail(worker: Worker): void {
    worker.terminate();
    this.engine = null;
    this.mine.clear();
    for (const { reject } of this.waiting.values()) reject(unusable());
    this.waiting.clear();
  }

  private keep(stored: Stored): void {
    const text = JSON.stringify(stored);
    this.mine.set(stored.id, text);
    try {
      forgetOldest(stored.id);
      localStorage.setItem(PREFIX + stored.id, text);
    } catch {
      // Storage may be full, or forbidden, above all in a frame. Then a reload begins again.
    }
  }
}

async function fetched(address: string): Promise<ArrayBuffer> {
  const reply = await fetch(address);
  if (!reply.ok) throw new Error(`${address}: ${reply.status}`);
  return reply.arrayBuffer();
}

function idOf(ref: SessionRef): string | null {
  return "session" in ref ? ref.session : null;
}

function now(): string {
  return new Date().toISOString();
}

function keptText(id: string): string | null {
  try {
    return localStorage.getItem(PREFIX + id);
  } catch {
    return null;
  }
}

function forgetOldest(but: string): void {
  const kept = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX) && key !== PREFIX + but);
  if (kept.length < MOST_KEPT) return;
  const created = (key: string): string => (JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Stored>).created ?? "";
  kept.sort((one, other) => created(one).localeCompare(created(other)));
  for (const key of kept.slice(0, kept.length - MOST_KEPT + 1)) localStorage.removeItem(key);
}

function problemOf({ status, code, detail, action }: NonNullable<Reply["problem"]>): Problem {
  return new Problem(status, { type: "about:blank", title: t("problem.wrong"), status, code, detail, action });
}

function unusable(): Problem {
  return problemOf({ status: 500, code: "unexpected", detail: t("problem.engine"), action: t("problem.later") });
}
