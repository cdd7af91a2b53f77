/** One step of a conversation: which question is next, and what an answer teaches. */

import { Belief, Particles } from "./belief";
import { type Allowed, Catalog } from "./catalog";
import { attributeQuestion } from "./attributeQuestions";
import { itemQuestion, slateName } from "./itemQuestions";
import { Recommender } from "./lists";
import type { AskKind, PlanNode, Publication, QuestionKind } from "./publication";
import { Random } from "./random";
import { Prior, rejuvenated } from "./rejuvenation";
import { type Choice, Logistic } from "./responses";
import { Judge } from "./value";

/** A question: rows of items, or indices of attributes. */
export interface Question {
  kind: QuestionKind;
  options: number[];
  evoi: number;
}

/** A question and its answer. */
export interface Asked {
  question: Question;
  choice: Choice;
}

/** What a card and an attribute cost to read, as shares of the regret at the start. */
const CARD_COST = 0.005;
const ATTRIBUTE_COST = 0.0005;

/** What does not change from one conversation to the next. */
export class World {
  readonly catalog: Catalog;
  readonly prior: Belief;
  readonly density: Prior | null;
  readonly response: Logistic;
  /** Vectors of all attributes; those that can be asked about come first. */
  readonly attributes: Float32Array[];

  constructor(readonly publication: Publication) {
    const { header } = publication;
    this.catalog = Catalog.of(publication);
    const { d } = this.catalog;
    this.prior = new Belief(Particles.ofRows(publication.floats("particles"), d), Float64Array.from(publication.floats("log weights")));
    this.density = header.hasPrior ? priorOf(publication, d) : null;
    const { temperature, none_utility, tie } = header.response;
    this.response = new Logistic(temperature, none_utility, tie);
    const vectors = header.attributes.each.length > 0 ? publication.floats("attributes") : new Float32Array(0);
    this.attributes = header.attributes.each.map((_, index) => vectors.subarray(index * d, (index + 1) * d));
  }

  get askable(): Float32Array[] {
    return this.attributes.slice(0, this.publication.header.attributes.asked);
  }
}

export interface PolicySettings {
  k: number;
  ask: AskKind;
  seed: number;
}

/** How a conversation is held. */
export class Policy {
  private readonly recommenders = new WeakMap<Belief, Recommender>();
  private regretBefore: number | null = null;

  constructor(
    readonly world: World,
    readonly settings: PolicySettings,
    readonly allowed: Allowed = null,
  ) {}

  recommender(belief: Belief): Recommender {
    const known = this.recommenders.get(belief) ?? new Recommender(this.world.catalog, belief, this.allowed);
    this.recommenders.set(belief, known);
    return known;
  }

  /** What recommending before the first question is expected to lose. */
  get startRegret(): number {
    const { startRegret } = this.world.publication.header;
    return (this.regretBefore ??= this.allowed === null ? startRegret : this.recommender(this.world.prior).regret);
  }

  /** The next question; null when every one has been asked.
   *  @param asked - All questions so far with their answers, oldest first.
   *  @param hinted - Whether the person said something unasked. */
  question(belief: Belief, asked: readonly Asked[], hinted: boolean): Question | null {
    const planned = this.planned(belief, asked, hinted);
    if (planned !== null) return planned;
    const { ask } = this.settings;
    const attributes = ask !== "items" ? this.attributeQuestion(belief, asked) : null;
    const items = ask !== "attributes" ? this.itemQuestion(belief, asked) : null;
    if (attributes === null || items === null) return attributes ?? items;
    const net = (question: Question): number => question.evoi - this.readingCost(question);
    return net(items) > net(attributes) ? items : attributes;
  }

  /** The belief after an answer to options with these vectors, or a hint.
   *  @param stream - Names the random numbers. */
  after(belief: Belief, vectors: Float32Array[], choice: Choice, response: Logistic, stream: (string | number)[]): Belief {
    if (choice === "skip") return belief;
    const updated = belief.update(vectors, choice, response);
    const { density, publication } = this.world;
    const settings = publication.header.rejuvenation;
    if (density === null || settings === null) return updated;
    return rejuvenated(updated, density, settings, new Random(this.settings.seed, ...stream));
  }

  /** The vectors of the options of a question. */
  vectors(question: Question): Float32Array[] {
    const { catalog, attributes } = this.world;
    if (question.kind === "items") return question.options.map((row) => catalog.vector(row));
    return question.options.map((index) => attributes[index]!.map((value, dim) => value + catalog.average[dim]!));
  }

  /** What the answer to a question is expected to add to what is recommended. */
  gain(belief: Belief, question: Question): number {
    const recommender = this.recommender(belief);
    if (recommender.size === 1) return question.evoi;
    const { catalog, response } = this.world;
    const judge = Judge.of(catalog, belief, response, question.options.length, this.allowed);
    const weighted = judge.weighted(this.vectors(question).map((vector) => belief.particles.utilities(vector)));
    return recommender.gain(weighted);
  }

  private itemQuestion(belief: Belief, asked: readonly Asked[]): Question | null {
    const { catalog, response } = this.world;
    const { k, seed } = this.settings;
    const random = new Random(seed, "ask", asked.length + 1);
    const found = itemQuestion({ catalog, belief, response, k, allowed: this.allowed, asked: names(asked, "items"), random });
    return found && { kind: "items", ...found };
  }

  private attributeQuestion(belief: Belief, asked: readonly Asked[]): Question | null {
    const { catalog, response, askable: attributes } = this.world;
    if (attributes.length === 0) return null;
    const { k, seed } = this.settings;
    const random = new Random(seed, "ask attributes", asked.length + 1);
    const problem = { catalog, attributes, belief, response, k, allowed: this.allowed, asked: names(asked, "attributes"), random };
    const found = attributeQuestion(problem);
    return found && { kind: "attributes", ...found };
  }

  /** The published first question, or that of the plan while the conversation is on it. */
  private planned(belief: Belief, asked: readonly Asked[], hinted: boolean): Question | null {
    const { header } = this.world.publication;
    const { k, ask, seed } = this.settings;
    if (hinted || k !== header.k || ask !== header.ask || this.allowed !== null) return null;
    if (header.first !== null) return asked.length === 0 && seed === header.seed ? { ...header.first } : null;
    const question = this.plannedQuestion(header.plan, asked);
    if (question === null) return null;
    const judge = Judge.of(this.world.catalog, belief, this.world.response, k, null);
    const evoi = judge.evoi(this.vectors(question).map((vector) => belief.particles.utilities(vector)));
    return { ...question, evoi: Math.max(0, evoi) };
  }

  private plannedQuestion(plan: PlanNode | null, asked: readonly Asked[]): Question | null {
    let node = plan;
    for (const { question, choice } of asked) {
      if (node === null || choice === "skip" || question.kind !== node[2] || question.options.join() !== node[0].join()) return null;
      node = node[1][this.world.response.row(choice, question.options.length)] ?? null;
    }
    return node && { kind: node[2], options: [...node[0]], evoi: 0 };
  }

  private readingCost(question: Question): number {
    return question.options.length * this.startRegret * (question.kind === "items" ? CARD_COST : ATTRIBUTE_COST);
  }
}

function names(asked: readonly Asked[], kind: QuestionKind): Set<string> {
  return new Set(asked.filter(({ question }) => question.kind === kind).map(({ question }) => slateName(question.options)));
}

function priorOf(publication: Publication, d: number): Prior {
  const [centres, weights] = [publication.floats("prior centres"), publication.floats("prior log weights")];
  return new Prior(d, centres, weights, publication.floats("prior cholesky"), publication.floats("prior scales"));
}
