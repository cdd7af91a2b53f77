/** The conversation as the page holds it: one immutable state, and everything a person can do to it. */

import { Api, type Whose } from "./api";
import { Connection, Problem } from "./connection";
import { tellDone } from "./host";
import { forget, keep, kept } from "./memory";
import { go, here, host, wanted } from "./place";
import type { Catalog, Choice, Filter, FilterOption, History, ProblemDetails, Session } from "./types";

export interface State {
  screen: "loading" | "choosing" | "asking" | "results" | "trouble";
  /** Why something has to wait for the server, if it does. */
  lost: string | null;
  catalogs: Catalog[];
  session: Session | null;
  /** Seen through a share link. */
  readOnly: boolean;
  /** What is on its way to the server. */
  sending: Choice | "undo" | null;
  /** Expected regret before the first answer and after each one; undefined where not yet known. */
  fall: (number | undefined)[];
  /** Below this regret another question no longer pays. */
  stopsAt: number | null;
  /** What must-haves can be about. */
  filters: FilterOption[];
  trouble: ProblemDetails | null;
  /** Something that went otherwise than the person expects. */
  notice: string | null;
}

const EMPTY: State = {
  screen: "loading",
  lost: null,
  catalogs: [],
  session: null,
  readOnly: false,
  sending: null,
  fall: [],
  stopsAt: null,
  filters: [],
  trouble: null,
  notice: null,
};

export class Conversation {
  state: State = EMPTY;
  readonly connection = new Connection((lost) => this.set({ lost }));
  readonly api = new Api(this.connection);
  private readonly listeners = new Set<() => void>();
  private visit = new AbortController();

  constructor() {
    addEventListener("popstate", () => void this.enter());
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Where results are read from. */
  get whose(): Whose {
    const session = this.state.session;
    return session?.id ? { session: session.id } : { share: session?.share ?? "" };
  }

  /** Go where the address points. */
  async enter(): Promise<void> {
    const place = here();
    await this.visiting(async (signal) => {
      if (place.at === "session") await this.resume(place.id, signal);
      else if (place.at === "shared") {
        this.adopt(await this.api.session({ share: place.token }, signal), { readOnly: true, screen: "results" });
        this.learnFall();
      } else await this.begin(signal);
    });
  }

  /** Start a conversation about a catalogue; `entry` says whether the back button leads to where we are now. */
  async start(catalog: string, entry: "new" | "same" = "new"): Promise<void> {
    await this.visiting(async (signal) => {
      const session = await this.api.open({ ...wanted(), catalog }, randomKey(), signal);
      if (session.id) {
        go({ at: "session", id: session.id }, entry);
        if (host !== null) keep("embedded", wanted().catalog ?? "", session.id);
      }
      this.adopt(session);
      this.learnMore(session);
    });
  }

  /** Show the catalogues to choose from. */
  choose(): void {
    go({ at: "start" }, "new");
    void this.enter();
  }

  /** Answer the open question. Until it is stored the answer outlasts a lost connection and a reload. */
  async answer(choice: Choice): Promise<void> {
    const { session, sending, readOnly } = this.state;
    const question = session?.question;
    if (!session?.id || !question || sending !== null || readOnly || !question.answers.includes(choice)) return;
    this.set({ sending: choice, notice: null });
    keep("pending", session.id, { question: question.id, choice });
    const id = session.id;
    await this.changing(id, (signal) => this.api.answer(id, question.id, choice, signal));
  }

  /** Take the last answer back. */
  async undo(): Promise<void> {
    const { session, sending, readOnly } = this.state;
    if (!session?.id || !session.last_answer || sending !== null || readOnly) return;
    this.set({ sending: "undo", notice: null });
    const { id, last_answer: last } = session;
    await this.changing(id, (signal) => this.api.undo(id, last, signal));
    // Whoever takes an answer back wants to give another one.
    if (this.state.screen === "results") this.goOn();
  }

  /** Ask and recommend under other must-haves. A refusal is thrown for whoever asked. */
  async require(filters: Filter[]): Promise<void> {
    const session = this.state.session;
    if (!session?.id) return;
    const narrowed = await this.api.filter(session.id, filters, session.where);
    this.set({ fall: [] }); // regret among other items is another regret
    this.adopt(narrowed);
    this.learnFall();
  }

  /** Show the results although another question would pay. */
  finish(): void {
    const { session, sending } = this.state;
    if (!session || sending !== null) return;
    forget("further", session.id ?? "");
    this.set({ screen: "results" });
    tellDone(session);
  }

  /** Ask on although another question no longer pays. */
  goOn(): void {
    const session = this.state.session;
    if (!session?.id || !session.question) return;
    keep("further", session.id, true);
    this.set({ screen: "asking" });
  }

  /** A person has read the notice. */
  dismiss(): void {
    this.set({ notice: null });
  }

  private async begin(signal: AbortSignal): Promise<void> {
    const before = host === null ? null : kept("embedded", wanted().catalog ?? "");
    if (before !== null) {
      go({ at: "session", id: before }, "same");
      return this.resume(before, signal);
    }
    const catalogs = await this.api.catalogs();
    this.set({ catalogs });
    const only = wanted().catalog ?? (catalogs.length === 1 ? catalogs[0]?.name : undefined);
    if (only !== undefined && only !== null) await this.start(only, "same");
    else this.set({ screen: "choosing" });
  }

  private async resume(id: string, signal: AbortSignal): Promise<void> {
    await this.deliver(id, signal);
    const session = await this.api.session({ session: id }, signal);
    this.adopt(session);
    this.learnMore(session);
  }

  /** Send an answer that was on its way when the page was reloaded. */
  private async deliver(id: string, signal: AbortSignal): Promise<void> {
    const pending = kept("pending", id);
    if (pending === null) return;
    try {
      await this.api.answer(id, pending.question, pending.choice, signal);
    } catch (error) {
      if (!(error instanceof Problem)) throw error; // a conflict means that the conversation has gone on
    }
    forget("pending", id);
  }

  /** A change of the conversation; when somebody else changed it meanwhile, show how it stands. */
  private async changing(id: string, change: (signal: AbortSignal) => Promise<Session>): Promise<void> {
    const signal = this.visit.signal;
    try {
      const session = await change(signal);
      forget("pending", id);
      this.adopt(session);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      forget("pending", id);
      await this.visiting(async (again) => {
        if (error.status !== 409 && error.status !== 422) throw error;
        this.adopt(await this.api.session({ session: id }, again), { notice: explained(error) });
        this.learnFall();
      }, "quietly");
    }
  }

  /** Do something that a later visit to another place cuts short; what goes wrong is shown. */
  private async visiting(act: (signal: AbortSignal) => Promise<void>, how: "anew" | "quietly" = "anew"): Promise<void> {
    this.visit.abort();
    const visit = (this.visit = new AbortController());
    if (how === "anew") this.set({ ...EMPTY, catalogs: this.state.catalogs, lost: this.state.lost });
    try {
      await act(visit.signal);
    } catch (error) {
      if (visit.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      this.set({ screen: "trouble", trouble: error.details, sending: null });
      if (error.status === 404 || error.status === 409) forget("embedded", wanted().catalog ?? "");
    }
  }

  /** Take over how the conversation stands. */
  private adopt(session: Session, also: Partial<State> = {}): void {
    const before = this.state;
    const fall = Array.from({ length: session.answers + 1 }, (_, place) => before.fall[place]);
    fall[0] = session.start_regret;
    fall[session.answers] = session.expected_regret;
    const over = session.question === null || (session.stop !== null && kept("further", session.id ?? "") === null);
    const screen = over ? "results" : "asking";
    this.set({ session, fall, sending: null, screen, ...also });
    if (screen === "results" && before.screen === "asking") tellDone(session);
  }

  /** What the page also shows but does not wait for. */
  private learnMore(session: Session): void {
    this.learnFall();
    const { signal } = this.visit;
    const learn = async (): Promise<void> => {
      const { filters } = await this.api.attributes(session.catalog);
      const catalogs = this.state.catalogs.length > 0 ? this.state.catalogs : await this.api.catalogs();
      if (!signal.aborted) this.set({ filters, catalogs });
    };
    learn().catch(ignoreProblem);
  }

  private learnFall(): void {
    const { signal } = this.visit;
    const learn = async (): Promise<void> => {
      const history = await this.api.history(this.whose);
      if (signal.aborted) return;
      const known = regrets(history);
      const fall = this.state.fall.map((value, place) => value ?? known[place]);
      this.set({ fall, stopsAt: history.stops_at });
    };
    learn().catch(ignoreProblem);
  }

  private set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }
}

/** Expected regret before the first answer and after each one that holds. */
export function regrets(history: History): (number | undefined)[] {
  const held = history.turns.filter((turn) => !turn.undone);
  return [history.start_regret, ...held.map((turn) => turn.expected_regret ?? undefined)];
}

const MOVED_ON = new Set(["stale-question", "answer-conflict", "answer-undone", "not-the-last-answer", "nothing-to-undo"]);

function explained(problem: Problem): string {
  return MOVED_ON.has(problem.code)
    ? "This conversation has moved on in another window. Here is where it stands."
    : `That answer could not be taken. ${problem.details.detail}`;
}

/** The page is whole without what was asked for; anything but a refusal is a mistake of ours. */
export function ignoreProblem(error: unknown): void {
  if (!(error instanceof Problem)) throw error;
}

/** A key that nobody guesses. `crypto.randomUUID` exists on https only. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
