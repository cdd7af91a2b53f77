/** A conversation as the REST API describes it, so that the page need not know where the answers come from. */

import type * as wire from "../types";
import type { Conversation } from "./conversations";
import type { Question } from "./policy";
import { type Language, type QuestionKind, told } from "./publication";
import { reasons } from "./reasons";
import { matchText, type Recommended, recommendations, standsFor, wishes } from "./recommendations";
import type { Event, Session } from "./session";
import { Texts } from "./texts";
import { dot } from "./value";

/** A longer fact is prose to read, not a value to compare; nor is an address. */
const LONGEST_VALUE = 56;
/** Attributes that the page lists. */
const MOST_HINTS = 500;
const TOP = 5;

/** Who reads it: the person, or somebody with whom they shared it. */
export interface Reader {
  language: Language;
  shared: boolean;
}

export function sessionView(conversation: Conversation, reader: Reader): wire.Session {
  const { session, record } = conversation;
  const texts = new Texts(session.world.publication, reader.language);
  const { question, stop } = session;
  const top = session.policy.recommender(session.belief).listed(TOP);
  const stopText = stop && texts.message(`stop.${stop.code}`, localized(stop.values, texts));
  return {
    id: reader.shared ? null : record.id,
    share: conversation.token,
    catalog: session.world.publication.header.name,
    k: record.settings.k,
    ask: record.settings.ask,
    filters: [...record.filters],
    where: null,
    strategy: "auto",
    seed: record.settings.seed,
    language: reader.language,
    version: conversation.version,
    created_at: record.created,
    expires_at: null,
    answers: session.answers.length,
    hints: session.hints.length,
    last_answer: session.steps.length > 0 ? String(session.steps.at(-1)!.position) : null,
    question: question && questionView(session, question, conversation.questionId, texts),
    stop: stop && { code: stop.code, text: stopText! },
    stop_reason: stopText,
    expected_regret: session.regret,
    start_regret: session.policy.startRegret,
    probability_best: session.probabilityOneBest(top),
    recommendations: ranked(session, top, 0, texts, reader),
    catalog_changes: [],
  };
}

function localized(values: Record<string, string | number>, texts: Texts): Record<string, string | number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? texts.decimal(value) : value]));
}

function questionView(session: Session, question: Question, id: string, texts: Texts): wire.Question {
  return {
    id,
    number: session.answers.length + 1,
    kind: question.kind,
    prompt: prompt(question, texts),
    options: optionViews(session, question, texts, true),
    answers: [...question.options.keys(), ...session.world.response.extras, "skip"],
    evoi: question.evoi,
  };
}

/** A question in words; items are shown beside it, attributes are part of it. */
export function prompt(question: Question, texts: Texts): string {
  const { prompts, attributes } = texts.publication.header;
  if (question.kind === "items") return texts.told(prompts.items);
  const said = question.options.map((index) => attributes.each[index]!);
  const described = texts.language !== "en" || said.every(({ hasPhrase }) => hasPhrase);
  const options = said.map((each, index) => texts.told(!described ? each.label : index === 0 ? each.described : each.another));
  const [before, after] = prompts.attributes[texts.language] ?? prompts.attributes["en"]!;
  return before + texts.either(options) + after;
}

/** The options of a question. Facts that differ come first, and while it is open what matters most at the head. */
function optionViews(session: Session, question: Question, texts: Texts, open: boolean): wire.Option[] {
  if (question.kind === "attributes") {
    return question.options.map((index) => {
      const { label, said, named } = texts.publication.header.attributes.each[index]!;
      return { id: null, label: texts.told(label), facts: [], link: null, image: null, images: [], attributes: [texts.told(said)], phrase: texts.told(named) };
    });
  }
  const facts = comparedFacts(session, question.options, texts, open);
  const { shop } = session;
  return question.options.map((row, index) => {
    const images = shop.images(row);
    const own = facts.filter(({ values }) => values[index] !== "");
    return {
      id: shop.id(row),
      label: shop.label(row),
      facts: own.map(({ name, values, differs }) => ({ name, value: values[index]!, differs })),
      link: shop.link(row),
      image: images[0] ?? null,
      images,
      attributes: [],
      phrase: shop.label(row),
    };
  });
}

interface ComparedFact {
  name: string;
  values: string[];
  differs: boolean;
}

function comparedFacts(session: Session, rows: readonly number[], texts: Texts, open: boolean): ComparedFact[] {
  const own = rows.map((row) => new Map(session.shop.facts(row, texts)));
  const names = [...new Set(own.flatMap((facts) => [...facts.keys()]))];
  const facts = names.map((name) => fact(name, own.map((each) => each.get(name) ?? "")));
  const weights = open ? factWeights(session, rows, texts) : new Map<string, number>();
  if (open) facts.push(...unshown(session, rows, names, texts));
  const unknown = texts.message("cell.unknown");
  const rank = ({ values, differs }: ComparedFact): number =>
    (values.every(isShort) ? 0 : 4) + (differs ? 0 : 2) + (values.includes(unknown) ? 1 : 0);
  return facts.sort((one, other) => rank(one) - rank(other) || (weights.get(other.name) ?? 0) - (weights.get(one.name) ?? 0));
}

function fact(name: string, values: string[]): ComparedFact {
  return { name, values, differs: new Set(values).size > 1 };
}

function isShort(value: string): boolean {
  return value.length <= LONGEST_VALUE && !/^https?:\/\//.test(value);
}

/** The columns that no fact is about and in which the options differ. */
function unshown(session: Session, rows: readonly number[], names: readonly string[], texts: Texts): ComparedFact[] {
  const { publication } = session.world;
  return publication.header.columns.flatMap((column) => {
    const name = texts.told(column.names);
    const { texts: coded } = column;
    if (coded === null || names.includes(name)) return [];
    const values = rows.map((row) => texts.told(publication.coded(coded, row)));
    return values.includes("") || new Set(values).size < 2 ? [] : [fact(name, values)];
  });
}

/** How much each column matters between the options: the root mean square of the difference of what it is worth. */
function factWeights(session: Session, rows: readonly number[], texts: Texts): Map<string, number> {
  const { world, belief } = session;
  const { particles, weights } = belief;
  const vectors = rows.map((row) => world.catalog.vector(row));
  return new Map(
    world.publication.header.columns.map(({ names, dimensions: [start, stop] }) => {
      const masked = vectors.map((vector) => vector.map((value, dim) => (dim >= start && dim < stop ? value - vectors[0]![dim]! : 0)));
      const worth = masked.map((vector) => particles.utilities(vector));
      let total = 0;
      for (let particle = 0; particle < weights.length; particle += 1) {
        let [low, high] = [Infinity, -Infinity];
        for (const each of worth) [low, high] = [Math.min(low, each[particle]!), Math.max(high, each[particle]!)];
        total += weights[particle]! * (high - low) ** 2;
      }
      return [texts.told(names), Math.sqrt(total)];
    }),
  );
}

/** Recommended items with their ranks, reasons and wishes. */
export function ranked(session: Session, rows: readonly number[], offset: number, texts: Texts, reader: Reader): wire.Recommendation[] {
  const speaker = reader.shared ? "they" : "you";
  const why = reasons(session, rows, texts, speaker);
  const positions = session.answers.map(({ position }) => String(position));
  const { size } = session.policy.recommender(session.belief);
  const standing: string[] = [];
  for (let start = 0; start < rows.length; start += size) standing.push(...standsFor(session, rows.slice(start, start + size), texts, speaker));
  return recommendations(session, rows).map((item, index) => ({
    ...itemView(session, item, texts),
    rank: offset + index + 1,
    reasons: why[index]!.map(({ kind, text, column, questions }) => ({ kind, text, column, answers: questions.map((number) => positions[number - 1]!) })),
    stands_for: standing[index]!,
  }));
}

function itemView(session: Session, item: Recommended, texts: Texts): Omit<wire.Recommendation, "rank" | "reasons" | "stands_for"> {
  const { shop } = session;
  const images = shop.images(item.row);
  return {
    id: shop.id(item.row),
    label: shop.label(item.row),
    facts: shop.facts(item.row, texts).map(([name, value]) => ({ name, value })),
    link: shop.link(item.row),
    image: images[0] ?? null,
    images,
    expected_utility: item.expected,
    spread: item.spread,
    probability_best: item.probabilityBest,
    match: item.match,
    probability_good: item.probabilityGood,
    match_text: matchText(item, texts),
    wishes: wishes(session, item.row).map(({ kind }) => ({ column: kind.column, toward: kind.toward, text: texts.told(kind.said) })),
  };
}

/** Every answer and hint in the order it was given, including those taken back. */
export function historyView(conversation: Conversation, reader: Reader): wire.History {
  const { session, record } = conversation;
  const texts = new Texts(session.world.publication, reader.language);
  const held = new Set(session.steps.map(({ position }) => position));
  const turns: wire.Turn[] = [];
  const hints: wire.HintGiven[] = [];
  const given: Event[] = [];
  const answers = (): number => given.filter(({ type }) => type === "answer").length;
  record.events.forEach((event, index) => {
    if (event.type === "undo") return void given.pop();
    const common = { undone: !held.has(index + 1), expected_regret: event.regret ?? regretAfter(session, index + 1) };
    if (event.type === "hint") {
      hints.push({ ...common, hint: String(index + 1), text: hintText(session, event.said, texts), answers: answers(), given_at: event.at });
    } else {
      const { question, choice, at } = event;
      const number = answers() + 1;
      const shown = { prompt: prompt(question, texts), options: optionViews(session, question, texts, false) };
      turns.push({ ...common, answer: String(index + 1), number, kind: question.kind, ...shown, choice, answered_at: at });
    }
    given.push(event);
  });
  return { start_regret: session.policy.startRegret, stops_at: session.stopping.regret, turns, hints };
}

/** The regret after the step at this position, computed where a link does not hold it; null if it was taken back. */
function regretAfter(session: Session, position: number): number | null {
  const count = session.steps.findIndex((step) => step.position === position) + 1;
  return count === 0 ? null : session.policy.recommender(session.beliefs[count]!).regret;
}

/** A hint in words. */
export function hintText(session: Session, said: wire.NewHint, texts: Texts): string {
  const { header } = session.world.publication;
  const item = (): string => session.shop.label(session.shop.find(said.item) ?? 0);
  const asked = header.attributes.each.slice(0, header.attributes.asked);
  if (said.says === "more-like") return texts.message("hints.more_like", { item: item() });
  if (said.says === "like-but") {
    const kind = header.comparatives.kinds.find(({ column, toward }) => column === said.column && toward === said.toward);
    return texts.message("hints.like_but", { item: item(), comparative: kind ? texts.told(kind.said) : "" });
  }
  if (said.says === "want") {
    const attribute = asked.find(({ text }) => text === said.attribute);
    return texts.message("hints.want", { thing: attribute ? texts.told(attribute.described) : "" });
  }
  const topic = asked.find(({ column }) => column === said.column)?.topic ?? "";
  return texts.message("hints.dont_care", { topic: texts.told(topic) });
}

/** What is believed about the person's taste, the attributes that matter most first. */
export function profileView(session: Session, texts: Texts): wire.Profile {
  const { world, belief } = session;
  const { header } = world.publication;
  const amounts = header.attributes.asked > 0 ? world.publication.floats("amounts") : new Float32Array(0);
  const tastes = world.askable.map((vector, index) => {
    const worth = belief.particles.utilities(vector);
    const mean = dot(worth, belief.weights);
    const variance = worth.reduce((sum, each, particle) => sum + belief.weights[particle]! * (each - mean) ** 2, 0);
    const { taste, column } = header.attributes.each[index]!;
    return {
      feature: texts.told(taste),
      mean,
      spread: Math.sqrt(variance),
      prior_mean: dot(vector, world.prior.mean),
      weight: mean * amounts[index]!,
      column,
    };
  });
  return { tastes: tastes.sort((one, other) => Math.abs(other.weight) - Math.abs(one.weight)) };
}

/** What the items differ in, what they can be filtered by, and what people may say about them. */
export function attributesView(session: Session, texts: Texts): wire.Attributes {
  const { header } = session.world.publication;
  const asked = header.attributes.each.slice(0, Math.min(header.attributes.asked, MOST_HINTS));
  return {
    attributes: [],
    filters: header.filters.map(({ attribute, label, kind, values, minimum, maximum, unit }) => ({
      attribute,
      label: told(label, texts.language),
      kind,
      values: (values ?? []).map(([value, items]) => ({ value, items })),
      minimum: minimum ?? null,
      maximum: maximum ?? null,
      unit: unit ?? null,
    })),
    hints: asked.map(({ text, said, column, topic }) => ({ attribute: text, text: texts.told(said), column, topic: texts.told(topic) })),
  };
}

/** The catalogue in short. */
export function catalogView(session: Session): wire.Catalog {
  const { publication, catalog } = session.world;
  const { header } = publication;
  const kinds: QuestionKind[] = header.attributes.asked > 0 ? ["items", "attributes"] : ["items"];
  const size = { items: catalog.n, dimensions: catalog.d, largest_slate: Math.min(10, catalog.n) };
  return { name: header.name, item: header.noun, ...size, hash: header.hash, kinds, strategies: ["auto"], takes_where: false };
}
