/** One conversation: what was asked, answered and said, and the belief after each. */

import type { Belief } from "./belief";
import { type Asked, Policy, type Question, type World } from "./policy";
import type { AskKind, Language } from "./publication";
import { type Choice, Logistic } from "./responses";
import { Shop } from "./shop";
import { threeDigits } from "./texts";
import type { Filter, NewHint } from "../types";

/** How a conversation is held, as it was opened. */
export interface Settings {
  k: number;
  ask: AskKind;
  seed: number;
  questions: number | null;
  language: Language | null;
}

export type Said = NewHint;

/** What happened, in the order in which it did. */
export type Event =
  | { type: "answer"; question: Question; choice: Choice; id: string; regret: number | null; at: string }
  | { type: "hint"; said: Said; rows: number[]; regret: number | null; at: string }
  | { type: "undo"; at: string };

export type Step = Exclude<Event, { type: "undo" }> & { position: number };

export interface Stop {
  code: "questions" | "probability" | "regret" | "cost" | "exhausted";
  values: Record<string, string | number>;
}

export interface Stopping {
  cost: number | null;
  regret: number | null;
  probability: number | null;
  questions: number | null;
}

/** "More like this" is said of one among this many. */
const LISTED = 5;
/** Weight of a tie between equals in what a person does not care about. */
const TIE = 0.5;
/** What makes an answer worth giving, as shares of the regret at the start. */
const COST = 0.01;
const REGRET = 0.02;

export class Session {
  readonly policy: Policy;
  readonly shop: Shop;
  steps: Step[] = [];
  /** The belief before the first step and after each. */
  beliefs: Belief[];
  readonly stopping: Stopping;
  private open: Question | null | undefined = undefined;
  private stopNow: Stop | null | undefined = undefined;
  private position = 0;

  constructor(
    readonly world: World,
    readonly settings: Settings,
    readonly filters: readonly Filter[] = [],
  ) {
    this.shop = new Shop(world.publication);
    this.policy = new Policy(world, settings, this.shop.matching(filters));
    this.beliefs = [world.prior];
    const { startRegret } = this.policy;
    const { probability, questions } = world.publication.header.stopping;
    this.stopping = { cost: COST * startRegret, regret: REGRET * startRegret, probability, questions: settings.questions ?? questions };
  }

  /** A second session in the same state: what happens to one leaves the other as it was. */
  fork(): Session {
    const twin = Object.assign(Object.create(Session.prototype) as Session, this);
    twin.steps = [...this.steps];
    twin.beliefs = [...this.beliefs];
    return twin;
  }

  get belief(): Belief {
    return this.beliefs.at(-1)!;
  }

  get answers(): Extract<Step, { type: "answer" }>[] {
    return this.steps.filter((step) => step.type === "answer");
  }

  get hints(): Extract<Step, { type: "hint" }>[] {
    return this.steps.filter((step) => step.type === "hint");
  }

  get asked(): Asked[] {
    return this.answers.map(({ question, choice }) => ({ question, choice }));
  }

  get question(): Question | null {
    if (this.open === undefined) this.open = this.policy.question(this.belief, this.asked, this.hints.length > 0);
    return this.open;
  }

  get recommended(): number[] {
    return this.policy.recommender(this.belief).listed(LISTED);
  }

  get regret(): number {
    return this.policy.recommender(this.belief).regret;
  }

  /** Do what an event says was done. */
  apply(event: Event): void {
    this.position += 1;
    this.stopNow = undefined;
    if (event.type === "undo") return this.withdraw();
    this.beliefs.push(event.type === "answer" ? this.told(event.question, event.choice) : this.hinted(event.said, event.rows));
    this.steps.push({ ...event, position: this.position });
    this.open = undefined;
  }

  /** The event of a hint: what it is said of is what is recommended now. Throws a text for what cannot be said. */
  hint(said: Said, at: string): Event {
    const rows = said.says === "more-like" || said.says === "like-but" ? [this.row(said)] : [];
    if (said.says === "more-like") rows.push(...this.recommended.filter((row) => row !== rows[0]).slice(0, LISTED - 1));
    this.imagined(said, rows);
    return { type: "hint", said, rows, regret: null, at };
  }

  /** Why to stop asking; null while another question is worth it. */
  get stop(): Stop | null {
    if (this.stopNow === undefined) this.stopNow = this.stopped();
    return this.stopNow;
  }

  private stopped(): Stop | null {
    const { questions, probability, regret, cost } = this.stopping;
    if (questions !== null && this.answers.length >= questions) return { code: "questions", values: { count: questions } };
    const sure = this.probabilityOneBest(this.policy.recommender(this.belief).listed(this.policy.recommender(this.belief).size));
    if (probability !== null && sure >= probability) return { code: "probability", values: { probability: sure.toFixed(2) } };
    if (regret !== null && this.regret < regret) return { code: "regret", values: { regret: threeDigits(this.regret), bound: threeDigits(regret) } };
    if (this.question === null) return { code: "exhausted", values: {} };
    const gain = this.policy.gain(this.belief, this.question);
    if (cost !== null && gain < cost) return { code: "cost", values: { gain: threeDigits(gain), cost: threeDigits(cost) } };
    return null;
  }

  /** The probability that no allowed item is better than the best of these. */
  probabilityOneBest(rows: readonly number[]): number {
    const { belief } = this;
    const recommender = this.policy.recommender(belief);
    const lengths = belief.particles.norms();
    const items = rows.map((row) => ({ own: recommender.utilities(row), length: norm(this.world.catalog.vector(row)) }));
    let beaten = 0;
    for (let particle = 0; particle < belief.m; particle += 1) {
      const best = recommender.favourites.utilities[particle]!;
      const isBeaten = items.every(({ own, length }) => own[particle]! < best - ROUNDING * length * lengths[particle]!);
      if (isBeaten) beaten += belief.weights[particle]!;
    }
    return Math.min(1, Math.max(0, 1 - beaten));
  }

  /** The imagined slate that a hint stands for, the answer to it, and how people give such hints. */
  imagined(said: Said, rows: readonly number[]): { vectors: Float32Array[]; choice: Exclude<Choice, "skip">; response: Logistic } {
    const { catalog, attributes, publication, response } = this.world;
    const plain = new Logistic(response.temperature);
    const { average } = catalog;
    const texts = publication.header.attributes.each.slice(0, publication.header.attributes.asked);
    const added = (vector: Float32Array): Float32Array => vector.map((value, dim) => value + average[dim]!);
    if (said.says === "more-like") {
      const vectors = rows.map((row) => catalog.vector(row));
      return { vectors: vectors.length === 1 ? [...vectors, average] : vectors, choice: 0, response: plain };
    }
    if (said.says === "like-but") {
      const item = catalog.vector(rows[0]!);
      const wish = this.shop.wishes(rows[0]!).find(({ kind }) => kind.column === said.column && kind.toward === said.toward);
      if (wish === undefined) throw new Error("`column` and `toward` must be one of the item's wishes.");
      const wished = Float32Array.from(item);
      wish.dims.forEach((dim, index) => (wished[dim]! += wish.amounts[index]!));
      return { vectors: [item, wished], choice: 1, response: plain };
    }
    if (said.says === "want") {
      const index = texts.findIndex(({ text }) => text === said.attribute);
      if (index < 0) throw new Error("`attribute` must be the text of an attribute of the catalogue.");
      return { vectors: [average, added(attributes[index]!)], choice: 1, response: plain };
    }
    const levels = attributes.slice(0, texts.length).filter((_, index) => texts[index]!.column === said.column);
    if (levels.length === 0) throw new Error("`column` must be what an attribute is about.");
    const vectors = levels.map(added);
    const indifferent = new Logistic(response.temperature, null, TIE);
    return { vectors: vectors.length === 1 ? [average, ...vectors] : vectors, choice: "same", response: indifferent };
  }

  private told(question: Question, choice: Choice): Belief {
    return this.policy.after(this.belief, this.policy.vectors(question), choice, this.world.response, ["renew", this.answers.length + 1]);
  }

  private hinted(said: Said, rows: readonly number[]): Belief {
    const { vectors, choice, response } = this.imagined(said, rows);
    return this.policy.after(this.belief, vectors, choice, response, ["hint", this.hints.length + 1]);
  }

  /** Take the last step back; an answer's question is open again. */
  private withdraw(): void {
    const step = this.steps.pop();
    if (step === undefined) throw new Error("There is no answer to take back.");
    this.beliefs.pop();
    this.open = step.type === "answer" ? step.question : undefined;
  }

  private row(said: Said): number {
    const row = this.shop.find(said.item);
    if (row === undefined) throw new Error(`No ${this.world.publication.header.noun} has the id ${String(said.item)}.`);
    return row;
  }
}

/** Equal items, and the same item summed in another order, differ by rounding, relative to the lengths of both. */
export const ROUNDING = 1e-6;

export function norm(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}
