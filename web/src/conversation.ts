/** The conversation as the page shows it: one immutable state, and everything a person can do to it. */

import { Api, type Client, refOf } from "./api";
import { Connection, Problem } from "./connection";
import { EngineClient } from "./engineClient";
import { postAnswered, postFinished, postStarted } from "./host";
import { Latest } from "./latest";
import { setLanguage, t } from "./messages";
import { published } from "./published";
import { currentRoute, hostOrigin, navigate, requestedSettings, settingsKey } from "./route";
import { store, stored, unstore } from "./storage";
import type { Catalog, Choice, Filter, FilterOption, History, NewHint, ProblemDetails, HintOption, Session } from "./types";

export interface State {
  screen: "loading" | "choosing" | "asking" | "results" | "problem";
  /** Why a request has to wait for the server, if one does. */
  waiting: string | null;
  catalogs: Catalog[];
  session: Session | null;
  /** Opened by a share link. */
  readOnly: boolean;
  /** The change that is being sent to the server; while there is one, no other is sent. */
  sending: Choice | "undo" | "hint" | "filters" | "revise" | null;
  /** Expected regret before the first answer and after each one; undefined where it is not known yet. */
  regrets: (number | undefined)[];
  /** Below this expected regret another question hardly helps. */
  stopsAt: number | null;
  /** What must-haves can be about. */
  filterOptions: FilterOption[];
  /** What a person may want or not care about. */
  hintOptions: HintOption[];
  problem: ProblemDetails | null;
  /** Something that did not go as the person expects. */
  notice: string | null;
}

const EMPTY: State = {
  screen: "loading",
  waiting: null,
  catalogs: [],
  session: null,
  readOnly: false,
  sending: null,
  regrets: [],
  stopsAt: null,
  filterOptions: [],
  hintOptions: [],
  problem: null,
  notice: null,
};

export class Conversation {
  state: State = EMPTY;
  readonly connection = new Connection((waiting) => this.set({ waiting }));
  readonly api: Client = published === null ? new Api(this.connection) : new EngineClient(published);
  private readonly listeners = new Set<() => void>();
  private visit = new AbortController();
  private readonly regretsRequest = new Latest();
  private readonly detailsRequest = new Latest();

  constructor() {
    addEventListener("popstate", () => void this.followAddress());
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Show what the address asks for. */
  async followAddress(): Promise<void> {
    const route = currentRoute();
    await this.visiting(async (signal) => {
      if (route.to === "session") await this.resume(route.id, signal);
      else if (route.to === "shared") {
        const session = await this.api.session({ share: route.token }, signal);
        this.adopt(session, { readOnly: true, screen: "results" });
        this.loadRegrets(session);
      } else await this.startOrChoose(signal);
    });
  }

  /** Start a conversation about a catalogue; with "push" the back button leads back to the current screen. */
  async start(catalog: string, entry: "push" | "replace" = "push"): Promise<void> {
    await this.visiting(async (signal) => {
      const session = await this.api.open({ ...requestedSettings(), catalog }, randomKey(), signal);
      if (session.id) {
        navigate({ to: "session", id: session.id }, entry);
        if (hostOrigin !== null) store("embedded", settingsKey(), session.id);
      }
      postStarted(session, false);
      this.adopt(session);
      this.loadDetails(session);
    });
  }

  /** Show the start: the catalogues to choose from, where there are several. */
  goToStart(): void {
    navigate({ to: "start" }, "push");
    void this.followAddress();
  }

  /** Answer the open question. Until the server has stored it, the answer survives a lost connection and a reload. */
  async answer(choice: Choice): Promise<void> {
    const { session, sending, readOnly } = this.state;
    const question = session?.question;
    if (!session?.id || !question || sending !== null || readOnly || !question.answers.includes(choice)) return;
    this.set({ sending: choice, notice: null });
    store("pending", session.id, { question: question.id, choice });
    const id = session.id;
    await this.change(id, async (signal) => {
      const answered = await this.api.answer(id, question.id, choice, signal);
      postAnswered(answered, question, choice);
      return answered;
    });
  }

  /** Say something unasked, which counts like an answer. Whoever looks at the results goes on looking at them. */
  async hint(hint: NewHint): Promise<void> {
    const { session, sending, readOnly, screen } = this.state;
    if (!session?.id || sending !== null || readOnly) return;
    this.set({ sending: "hint", notice: null });
    const { id } = session;
    const key = randomKey();
    await this.change(id, (signal) => this.api.hint(id, hint, key, signal), screen === "results" ? { screen } : {});
  }

  /** Take the last answer or hint back. */
  async undo(): Promise<void> {
    const { session, sending, readOnly } = this.state;
    if (!session?.id || !session.last_answer || sending !== null || readOnly) return;
    this.set({ sending: "undo", notice: null });
    const { id, last_answer: last, answers } = session;
    const { screen } = this.state;
    const undone = await this.change(id, (signal) => this.api.undo(id, last, signal), screen === "results" ? { screen } : {});
    // Whoever takes an answer back wants to give another one.
    if (undone && screen === "results" && this.state.session?.answers !== answers) this.continueAsking();
  }

  /** Answer an earlier question otherwise; what was answered after it stays. */
  async revise(answer: string, choice: Choice): Promise<void> {
    const { session, sending, readOnly, screen } = this.state;
    if (!session?.id || sending !== null || readOnly) return;
    this.set({ sending: "revise", notice: null, regrets: [] }); // after another answer the regrets are others
    const { id } = session;
    const key = randomKey();
    if (await this.change(id, (signal) => this.api.revise(id, answer, choice, key, signal), { screen })) {
      if (this.state.session) this.loadRegrets(this.state.session);
    }
  }

  /** Ask about and recommend only what passes the filters. Throws the problem when the server rejects them. */
  async setFilters(filters: Filter[]): Promise<void> {
    const { session, sending, readOnly } = this.state;
    if (!session?.id || sending !== null || readOnly) return;
    const { signal } = this.visit;
    this.set({ sending: "filters", notice: null });
    try {
      const filtered = await this.api.filter(session.id, filters, session.where, randomKey(), signal);
      this.set({ regrets: [] }); // among other items the regret is another one
      this.adopt(filtered);
      this.loadRegrets(filtered);
    } catch (error) {
      if (signal.aborted) return;
      this.set({ sending: null });
      throw error;
    }
  }

  /** Show the results although another question would help. */
  finish(): void {
    const { session, sending } = this.state;
    if (!session || sending !== null) return;
    unstore("continued", session.id ?? "");
    this.set({ screen: "results" });
    this.reportFinished(session);
  }

  /** Ask on although another question hardly helps. */
  continueAsking(): void {
    const session = this.state.session;
    if (!session?.id || !session.question) return;
    store("continued", session.id, true);
    this.set({ screen: "asking" });
  }

  dismissNotice(): void {
    this.set({ notice: null });
  }

  private async startOrChoose(signal: AbortSignal): Promise<void> {
    const before = hostOrigin === null ? null : stored("embedded", settingsKey());
    if (before !== null) {
      navigate({ to: "session", id: before }, "replace");
      return this.resume(before, signal);
    }
    const catalogs = await this.api.catalogs(signal);
    this.set({ catalogs });
    const only = requestedSettings().catalog ?? (catalogs.length === 1 ? catalogs[0]?.name : undefined);
    if (only !== undefined && only !== null) await this.start(only, "replace");
    else this.set({ screen: "choosing" });
  }

  private async resume(id: string, signal: AbortSignal): Promise<void> {
    await this.sendPending(id, signal);
    const session = await this.api.session({ session: id }, signal);
    postStarted(session, true);
    this.adopt(session);
    this.loadDetails(session);
  }

  /** Send the answer that was on its way when the page was reloaded. */
  private async sendPending(id: string, signal: AbortSignal): Promise<void> {
    const pending = stored("pending", id);
    if (pending === null) return;
    try {
      await this.api.answer(id, pending.question, pending.choice, signal);
    } catch (error) {
      if (!(error instanceof Problem)) throw error; // a conflict means that the conversation has gone on
    }
    unstore("pending", id);
  }

  /** Change the session; true when that worked. When somebody else changed it meanwhile, show its current state. */
  private async change(
    id: string,
    send: (signal: AbortSignal) => Promise<Session>,
    also: Partial<State> = {},
  ): Promise<boolean> {
    const signal = this.visit.signal;
    try {
      const session = await send(signal);
      unstore("pending", id);
      this.adopt(session, also);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      if (!(error instanceof Problem)) throw error;
      unstore("pending", id);
      await this.visiting(async (again) => {
        if (error.status !== 409 && error.status !== 422) throw error;
        const session = await this.api.session({ session: id }, again);
        this.adopt(session, { notice: noticeOf(error) });
        this.loadRegrets(session);
      }, "same screen");
      return false;
    }
  }

  /** Do something that the next visit to another address cuts short. A problem is shown. */
  private async visiting(act: (signal: AbortSignal) => Promise<void>, look: "loading" | "same screen" = "loading"): Promise<void> {
    this.visit.abort();
    const visit = (this.visit = new AbortController());
    this.regretsRequest.cancel();
    if (look === "loading") {
      this.detailsRequest.cancel();
      this.set({ ...EMPTY, catalogs: this.state.catalogs, waiting: this.state.waiting });
    }
    try {
      await act(visit.signal);
    } catch (error) {
      if (visit.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      this.set({ screen: "problem", problem: error.details, sending: null });
      if (error.status === 404 || error.status === 409) unstore("embedded", settingsKey());
    }
  }

  /** Show a session as the server sent it. */
  private adopt(session: Session, also: Partial<State> = {}): void {
    const before = this.state;
    setLanguage(session.language); // a session may have been opened in another language than the browser's
    const regrets = Array.from({ length: session.answers + 1 }, (_, index) => before.regrets[index]);
    regrets[0] = session.start_regret;
    regrets[session.answers] = session.expected_regret;
    const ended = session.stop !== null && (session.study != null || stored("continued", session.id ?? "") === null);
    const over = session.question === null || ended;
    const screen = over ? "results" : "asking";
    // That items have changed explains more than that the conversation has moved on.
    const changes = session.catalog_changes.length > 0 ? { notice: session.catalog_changes.join(" ") } : {};
    this.set({ session, regrets, sending: null, screen, ...also, ...changes });
    if (screen === "results" && before.screen === "asking") this.reportFinished(session);
  }

  private reportFinished(session: Session): void {
    postFinished(session);
    if (session.id) this.api.finished?.(session.id);
  }

  /** Load what the page also shows but does not wait for. */
  private loadDetails(session: Session): void {
    this.loadRegrets(session);
    this.detailsRequest.load(
      async (signal) => {
        const { filters, hints } = await this.api.attributes(session.catalog, signal);
        const catalogs = this.state.catalogs.length > 0 ? this.state.catalogs : await this.api.catalogs(signal);
        return { filterOptions: filters, hintOptions: hints ?? [], catalogs };
      },
      (details) => this.set(details),
    );
  }

  private loadRegrets(session: Session): void {
    this.regretsRequest.load(
      (signal) => this.api.history(refOf(session), signal),
      (history) => {
        const known = regretsOf(history);
        const regrets = this.state.regrets.map((value, index) => value ?? known[index]);
        this.set({ regrets, stopsAt: history.stops_at });
      },
    );
  }

  private set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }
}

/** Expected regret before the first answer and after each one that was not undone. */
function regretsOf(history: History): (number | undefined)[] {
  const turns = history.turns.filter((turn) => !turn.undone);
  return [history.start_regret, ...turns.map((turn) => turn.expected_regret ?? undefined)];
}

const MOVED_ON = new Set(["stale-question", "answer-conflict", "answer-undone", "not-the-last-answer", "nothing-to-undo"]);

function noticeOf(problem: Problem): string {
  return MOVED_ON.has(problem.code)
    ? t("notice.moved")
    : t("notice.unusable", { detail: problem.details.detail });
}

/** A key that nobody guesses. `crypto.randomUUID` exists on https only. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
