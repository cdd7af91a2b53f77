/** Conversations by their ids: what the page may ask of them, as it would ask the REST API. */

import type * as wire from "../types";
import { contradictions } from "./contradictions";
import { logOf } from "./log";
import { Session, type Event, type Settings } from "./session";
import type { Question, World } from "./policy";
import { type Language } from "./publication";
import type { Choice } from "./responses";
import { Texts } from "./texts";
import { attributesView, catalogView, historyView, profileView, ranked, type Reader, sessionView } from "./views";

/** What is stored of a conversation: all else follows from it. */
export interface Stored {
  id: string;
  /** Of the catalogue that it is about. */
  hash: string;
  settings: Settings;
  filters: wire.Filter[];
  /** How often the filters were changed. */
  changes: number;
  created: string;
  events: Event[];
}

/** A reply that asking again would not change. */
export class EngineProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly action = "",
  ) {
    super(detail);
  }
}

const MOST_ANSWERS = 200;
const MOST_OPTIONS = 10;
const MOST_PAGE = 100;
/** Sessions after answers that may come; each has particles of its own. */
const MOST_AHEAD = 8;

export class Conversation {
  private constructor(
    readonly session: Session,
    readonly record: Stored,
    readonly token: string,
  ) {}

  /** The conversation that a record describes, replayed. */
  static of(world: World, record: Stored): Conversation {
    const session = new Session(world, record.settings, record.filters);
    for (const event of record.events) session.apply(event);
    return new Conversation(session, record, tokenOf(record));
  }

  /** The same with one event more.
   *  @param ahead - The session after it, if it is known already. */
  with(event: Event, ahead?: Session): Conversation {
    const session = ahead ?? this.after(event);
    const events = [...this.record.events, event.type === "undo" ? event : { ...event, regret: session.regret }];
    const record = { ...this.record, events };
    return new Conversation(session, record, tokenOf(record));
  }

  /** The session after an event. */
  after(event: Event): Session {
    const session = this.session.fork();
    session.apply(event);
    return session;
  }

  /** Grows with every change. */
  get version(): number {
    return this.record.events.length + this.record.changes + 1;
  }

  /** A new one with every change, so that late answers are noticed. */
  get questionId(): string {
    return `${this.session.answers.length + 1}-${this.version}`;
  }
}

function aheadKey({ record, questionId }: Conversation, choice: Choice): string {
  return `${record.id}/${questionId}/${choice}`;
}

export type Ref = { session: string } | { share: string };

export class Conversations {
  private readonly known = new Map<string, Conversation>();

  /** Sessions after answers that may come, by question and answer. */
  private readonly ahead = new Map<string, Session>();

  constructor(private readonly world: World) {}

  /** Choose the next question for one answer that may come to the open question, while the person reads it.
   *  False when all is done. */
  thinkAhead(id: string): boolean {
    const conversation = this.known.get(id);
    const question = conversation?.session.question;
    if (!conversation || !question || conversation.session.stop !== null) return false;
    const next = [...question.options.keys()].find((choice) => !this.ahead.has(aheadKey(conversation, choice)));
    if (next === undefined) return false;
    const session = conversation.after({ type: "answer", question, choice: next, id: "", regret: null, at: "" });
    void [session.question, session.stop, session.recommended];
    if (this.ahead.size > MOST_AHEAD) this.ahead.clear();
    this.ahead.set(aheadKey(conversation, next), session);
    return true;
  }

  catalogs(): wire.Catalog[] {
    return [catalogView(new Session(this.world, this.settings({}, null)))];
  }

  attributes(language: Language): wire.Attributes {
    return attributesView(new Session(this.world, this.settings({}, null)), this.texts(language));
  }

  open(wanted: wire.NewSession, id: string, now: string, language: Language): wire.Session {
    const { header } = this.world.publication;
    const settings = this.settings(wanted, wanted.language ?? null);
    const record: Stored = { id, hash: header.hash, settings, filters: wanted.filters ?? [], changes: 0, created: now, events: [] };
    return this.view(this.adopt(this.started(record, language)), language);
  }

  /** Take over a conversation from what was stored of it. */
  load(record: Stored): void {
    if (record.hash !== this.world.publication.header.hash) throw this.changed();
    this.known.set(record.id, Conversation.of(this.world, record));
  }

  session(ref: Ref, language: Language): wire.Session {
    return this.view(this.found(ref), language, "share" in ref);
  }

  answer(id: string, question: string, choice: Choice, now: string, language: Language): wire.Session {
    const conversation = this.found({ session: id });
    const { session, record } = conversation;
    if (question !== conversation.questionId) {
      const given = record.events.some((event) => event.type === "answer" && event.id === question && event.choice === choice);
      if (given) return this.view(conversation, language);
      throw new EngineProblem(409, "stale-question", `Question ${question} is not open.`);
    }
    this.validateRoom(conversation, language);
    const open = session.question!;
    validateOffered(session, open, choice);
    const event: Event = { type: "answer", question: open, choice, id: question, regret: null, at: now };
    return this.view(this.adopt(conversation.with(event, this.ahead.get(aheadKey(conversation, choice)))), language);
  }

  hint(id: string, said: wire.NewHint, now: string, language: Language): wire.Session {
    const conversation = this.found({ session: id });
    this.validateRoom(conversation, language);
    try {
      return this.view(this.adopt(conversation.with(conversation.session.hint(said, now))), language);
    } catch (error) {
      throw new EngineProblem(422, "invalid-hint", error instanceof Error ? error.message : String(error));
    }
  }

  undo(id: string, answer: string, now: string, language: Language): wire.Session {
    const conversation = this.found({ session: id });
    const last = conversation.session.steps.at(-1);
    if (last === undefined) throw new EngineProblem(409, "nothing-to-undo", "There is no answer to take back.");
    if (String(last.position) !== answer) {
      if (Number(answer) < conversation.record.events.length) return this.view(conversation, language);
      throw new EngineProblem(409, "not-the-last-answer", `Answer ${answer} is not the last one.`);
    }
    return this.view(this.adopt(conversation.with({ type: "undo", at: now })), language);
  }

  /** Answer an earlier question otherwise: all back to it is taken back, and told again. */
  revise(id: string, answer: string, choice: Choice, now: string, language: Language): wire.Session {
    const conversation = this.found({ session: id });
    const { session, record } = conversation;
    const first = session.steps.findIndex(({ position }) => String(position) === answer);
    const given = session.steps[first];
    if (given?.type !== "answer") throw new EngineProblem(409, "answer-undone", `Answer ${answer} has been taken back.`);
    if (given.choice === choice) return this.view(conversation, language);
    validateOffered(session, given.question, choice);
    const told = session.steps.slice(first).map(({ position }) => record.events[position - 1]!);
    this.validateRoom(conversation, language, told.length);
    const taken = told.map((): Event => ({ type: "undo", at: now }));
    const again = told.map((event, index): Event => (event.type === "answer" && index === 0 ? { ...event, choice, at: now } : { ...event, at: now }));
    return this.view(this.adopt([...taken, ...again].reduce((before, event) => before.with(event), conversation)), language);
  }

  contradictions(id: string, language: Language): wire.Contradiction[] {
    const { session, record } = this.found({ session: id });
    const answers = session.answers.map(({ position }) => String(position));
    return contradictions(session, this.texts(record.settings.language ?? language)).map(({ number, earlier, probability, text }) => ({
      answer: answers[number - 1]!,
      number,
      earlier_answer: answers[earlier - 1]!,
      earlier_number: earlier,
      probability,
      text,
    }));
  }

  filter(id: string, filters: wire.Filter[], language: Language): wire.Session {
    const { record } = this.found({ session: id });
    const changed = { ...record, filters, changes: record.changes + 1 };
    return this.view(this.adopt(this.started(changed, language)), language);
  }

  recommendations(ref: Ref, limit: number, offset: number, language: Language): wire.Recommendations {
    const { session } = this.found(ref);
    const recommender = session.policy.recommender(session.belief);
    const count = Math.min(limit, MOST_PAGE);
    const rows = offset === 0 ? recommender.listed(count) : recommender.ranked(count, offset);
    const reader = { language, shared: "share" in ref };
    const total = recommender.available;
    const next = offset + count < total ? `?offset=${offset + count}&limit=${count}` : null;
    return { recommendations: ranked(session, rows, offset, this.texts(language), reader), total, offset, limit: count, next };
  }

  history(ref: Ref, language: Language): wire.History {
    return historyView(this.found(ref), { language, shared: "share" in ref });
  }

  profile(ref: Ref, language: Language): wire.Profile {
    return profileView(this.found(ref).session, this.texts(language));
  }

  /** A conversation as the library logs it. */
  log(id: string): Record<string, unknown> {
    return logOf(this.found({ session: id }));
  }

  /** What to store of a conversation. */
  stored(id: string): Stored {
    return this.found({ session: id }).record;
  }

  private view(conversation: Conversation, language: Language, shared = false): wire.Session {
    const reader: Reader = { language: conversation.record.settings.language ?? language, shared };
    return sessionView(conversation, reader);
  }

  private found(ref: Ref): Conversation {
    const key = "session" in ref ? ref.session : ref.share;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if ("share" in ref) {
      const conversation = this.shared(ref.share);
      this.known.set(key, conversation);
      return conversation;
    }
    throw new EngineProblem(404, "not-found", this.texts("en").message("problems.expired"), this.texts("en").message("problems.open_new"));
  }

  /** The conversation of a link. Anybody may have written it, so that what cannot be replayed is no conversation. */
  private shared(token: string): Conversation {
    const { header } = this.world.publication;
    const record = recordOf(token);
    if (record !== null && !header.hash.startsWith(record.hash)) throw this.changed();
    try {
      if (record !== null) return Conversation.of(this.world, { ...record, hash: header.hash });
    } catch {
      // As for one that is none.
    }
    throw new EngineProblem(404, "not-found", this.texts("en").message("problems.not_shared"), this.texts("en").message("problems.new_link"));
  }

  private changed(): EngineProblem {
    const { name } = this.world.publication.header;
    const texts = this.texts("en");
    return new EngineProblem(409, "catalog-changed", texts.message("problems.changed", { name, error: "" }), texts.message("problems.open_session"));
  }

  private adopt(conversation: Conversation): Conversation {
    this.known.set(conversation.record.id, conversation);
    return conversation;
  }

  /** A conversation whose filters leave enough to ask about. */
  private started(record: Stored, language: Language): Conversation {
    const { header } = this.world.publication;
    const texts = this.texts(record.settings.language ?? language);
    let conversation: Conversation;
    try {
      const left = this.world.catalog.available(new Session(this.world, record.settings, record.filters).policy.allowed);
      if (left < record.settings.k) {
        const items = `${header.items.labels.length.toLocaleString(texts.language)} ${header.nouns}`;
        const key = left === 0 ? "none_match" : left === 1 ? "one_matches" : "few_match";
        throw new EngineProblem(422, "invalid-filter", texts.message(`problems.${key}`, { nouns: header.nouns, items, left, k: record.settings.k }));
      }
      conversation = Conversation.of(this.world, record);
    } catch (error) {
      if (error instanceof EngineProblem) throw error;
      throw new EngineProblem(422, "invalid-filter", error instanceof Error ? error.message : String(error));
    }
    return conversation;
  }

  private settings(wanted: wire.NewSession, language: Language | null): Settings {
    const { header } = this.world.publication;
    if (wanted.where) throw new EngineProblem(422, "invalid-request", "A published page takes no `where`. Use `filters`.");
    if ((wanted.p ?? 1) !== 1) throw new EngineProblem(422, "invalid-request", "A published page asks about one attribute of each option.");
    const k = wanted.k ?? header.k;
    const largest = Math.min(MOST_OPTIONS, header.items.labels.length);
    if (k < 2 || k > largest) throw new EngineProblem(422, "invalid-request", `\`k\` must be 2 to ${largest} here, got ${k}.`);
    const ask = wanted.ask ?? header.ask;
    if (ask === "attributes" && header.attributes.asked === 0) {
      throw new EngineProblem(422, "invalid-request", `The catalogue ${header.name} has no attributes to ask about.`);
    }
    return { k, ask, seed: wanted.seed ?? header.seed, questions: wanted.questions ?? null, language };
  }

  private validateRoom({ record }: Conversation, language: Language, more = 1): void {
    if (record.events.filter(({ type }) => type !== "undo").length + more <= MOST_ANSWERS) return;
    const texts = this.texts(language);
    throw new EngineProblem(409, "session-full", texts.message("problems.full", { most: MOST_ANSWERS }), texts.message("problems.open_session"));
  }

  private texts(language: Language): Texts {
    return new Texts(this.world.publication, language);
  }
}

function validateOffered(session: Session, question: Question, choice: Choice): void {
  const offered: Choice[] = [...question.options.keys(), ...session.world.response.extras, "skip"];
  if (!offered.includes(choice)) throw new EngineProblem(422, "invalid-choice", "Choose one of the answers.");
}

/** A conversation as part of a link: whoever has it can read the answers, and nobody else ever had them. */
function tokenOf({ hash, settings, filters, events }: Stored): string {
  const held: Event[] = [];
  for (const event of events) event.type === "undo" ? void held.pop() : held.push(event);
  const steps = held.map((event) =>
    event.type === "answer" ? [event.question.kind === "items" ? 0 : 1, ...event.question.options, event.choice] : event.type === "hint" ? [event.said, event.rows] : [],
  );
  return toText(JSON.stringify([1, hash.slice(0, 8), settings.k, settings.ask, settings.seed, settings.questions, filters, steps]));
}

/** The conversation of a token; null for one that no link of ours holds. */
function recordOf(token: string): Stored | null {
  try {
    const [version, hash, k, ask, seed, questions, filters, steps] = JSON.parse(fromText(token)) as [number, string, number, Settings["ask"], number, number | null, wire.Filter[], unknown[][]];
    if (version !== 1 || !/^[0-9a-f]{8}$/.test(hash) || k < 2 || k > MOST_OPTIONS || steps.length > MOST_ANSWERS) return null;
    const events = steps.map((step, index): Event => {
      const common = { regret: null, at: new Date(0).toISOString() };
      if (typeof step[0] === "object") return { type: "hint", said: step[0] as wire.NewHint, rows: step[1] as number[], ...common };
      const options = step.slice(1, -1) as number[];
      const question = { kind: step[0] === 0 ? ("items" as const) : ("attributes" as const), options, evoi: 0 };
      return { type: "answer", question, choice: step.at(-1) as Choice, id: String(index), ...common };
    });
    const settings = { k, ask, seed, questions, language: null };
    return { id: token, hash, settings, filters, changes: 0, created: new Date(0).toISOString(), events };
  } catch {
    return null;
  }
}

/** A text in letters that an address may hold. */
function toText(text: string): string {
  const binary = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromText(text: string): string {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));
}
