/** Why an item is recommended, in words: "cheaper than what you passed on". The rules are the library's. */

import type { AttributeText, ColumnText } from "./publication";
import type { Session, Step } from "./session";
import type { Texts } from "./texts";
import { dot } from "./value";

export interface Reason {
  kind: "chosen" | "wanted" | "shared" | "compared" | "like";
  text: string;
  column: string | null;
  /** Numbers of the questions whose answers it refers to. */
  questions: number[];
}

interface Candidate {
  reason: Reason;
  gain: number;
  personal: boolean;
  said: string;
}

interface Shown {
  number: number;
  row: number;
}

const MOST_REASONS = 3;
/** The least probability that the person prefers what a reason speaks of. */
const CONFIDENT = 0.7;
/** Two values that fewer items than this lie between are as good as equal. */
const VISIBLE_SHARE = 0.05;
/** Another reason about the column of an earlier one counts for this share. */
const REPEATED_SHARE = 0.5;
/** A reason that adds less than this share of what the strongest adds is left out. */
const LEAST_SHARE = 0.1;
/** What more items have less of, most have less of. */
const MOST_ITEMS = 0.75;

/** For each of these items up to three reasons, the strongest first. No sentence occurs twice. */
export function reasons(session: Session, rows: readonly number[], texts: Texts, speaker: "you" | "they"): Reason[][] {
  if (session.steps.length === 0) return rows.map(() => []);
  const answers = new Answers(session, texts, speaker);
  const said = new Set<string>();
  const uses = new Map<string | null, number>();
  return rows.map((row) => {
    const chosen = strongest(answers.candidates(row, rows[0]!), said, uses);
    for (const each of chosen) {
      said.add(sentence(each));
      uses.set(each.reason.column, (uses.get(each.reason.column) ?? 0) + 1);
    }
    return chosen.map(({ reason }) => reason);
  });
}

/** The same for two reasons that must not both be given in a list. */
function sentence({ said, reason }: Candidate): string {
  return said || reason.text;
}

function strongest(candidates: Candidate[], said: ReadonlySet<string>, uses: ReadonlyMap<string | null, number>): Candidate[] {
  const fresh = candidates.filter((each) => !said.has(sentence(each)));
  const least = LEAST_SHARE * Math.max(0, ...fresh.map(({ gain }) => gain));
  const gain = (each: Candidate): number => each.gain * REPEATED_SHARE ** (uses.get(each.reason.column) ?? 0);
  const order = (each: Candidate): number => (each.reason.kind === "chosen" ? 0 : 2) + (each.personal ? 0 : 1);
  const chosen = new Map<string, Candidate>();
  const shared = new Set<number>();
  for (const each of [...fresh].sort((one, other) => order(one) - order(other) || gain(other) - gain(one))) {
    const { kind, questions, column } = each.reason;
    if (kind === "shared") questions.forEach((number) => shared.add(number));
    else if (kind === "like" && questions.every((number) => shared.has(number))) continue;
    // Two columns may say the same, such as "more economical than most cars".
    if ([...chosen.values()].some((other) => sentence(other) === sentence(each))) continue;
    if ((each.gain >= least || kind === "chosen") && !chosen.has(column ?? kind)) chosen.set(column ?? kind, each);
  }
  return [...chosen.values()].slice(0, MOST_REASONS);
}

/** What the answers of a conversation say about items. */
class Answers {
  private readonly told: { number: number; step: Extract<Step, { type: "answer" }>; move: Float64Array }[] = [];
  private readonly chosen: Shown[];
  private readonly passed: Shown[];
  private readonly wantedAttributes = new Map<number, number[]>();
  private readonly noun: string;

  constructor(
    private readonly session: Session,
    private readonly texts: Texts,
    private readonly speaker: "you" | "they",
  ) {
    session.steps.forEach((step, index) => {
      if (step.type !== "answer") return;
      const [before, after] = [session.beliefs[index]!.mean, session.beliefs[index + 1]!.mean];
      this.told.push({ number: this.told.length + 1, step, move: after.map((value, dim) => value - before[dim]!) });
    });
    [this.chosen, this.passed] = this.seen();
    const { header } = session.world.publication;
    this.noun = header.noun === "item" ? "one" : header.noun;
    const wanted = new Set(session.hints.map(({ said }) => (said.says === "want" ? said.attribute : null)));
    header.attributes.each.slice(0, header.attributes.asked).forEach(({ text }, index) => {
      if (wanted.has(text)) this.wantedAttributes.set(index, []);
    });
    for (const { number, step } of this.told) {
      if (step.question.kind === "attributes" && typeof step.choice === "number") this.wantedAttributes.set(step.question.options[step.choice]!, [number]);
    }
  }

  /** All that could be said for an item. */
  candidates(row: number, first: number): Candidate[] {
    const { columns } = this.session.world.publication.header;
    const found = columns.flatMap((column) => [...this.wanted(row, column), ...this.shared(row, column), ...this.compared(row, column, first)]);
    return [...found, ...this.alike(row)];
  }

  private wanted(row: number, column: ColumnText): Candidate[] {
    if (this.wantedAttributes.size === 0) return [];
    return this.session.shop.attributes(column, row).flatMap((index) => {
      const numbers = this.wantedAttributes.get(index);
      const attribute = this.attribute(index);
      if (numbers === undefined || !attribute.hasPhrase) return [];
      const gain = this.preferred(this.vector(index));
      if (gain === null) return [];
      const text = this.text("wanted", { phrase: this.texts.told(attribute.phrase) });
      return [{ reason: { kind: "wanted", text, column: column.name, questions: numbers }, gain, personal: true, said: key(attribute) }];
    });
  }

  private shared(row: number, column: ColumnText): Candidate[] {
    const { shop } = this.session;
    if (this.chosen.length === 0 || this.chosen.some((each) => each.row === row)) return [];
    const passed = this.passedBut(row).map((each) => shop.attributes(column, each.row));
    return shop.attributes(column, row).flatMap((index) => {
      const attribute = this.attribute(index);
      if (!attribute.hasPhrase || (passed.length > 0 && passed.every((own) => own.includes(index)))) return [];
      const alike = this.chosen.filter((each) => shop.attributes(column, each.row).includes(index));
      const gain = alike.length > 0 ? this.preferred(this.vector(index)) : null;
      if (gain === null) return [];
      const text = this.sharedText(attribute, alike);
      const questions = alike.map(({ number }) => number);
      return [{ reason: { kind: "shared", text, column: column.name, questions }, gain, personal: true, said: key(attribute) }];
    });
  }

  private sharedText(attribute: AttributeText, alike: readonly Shown[]): string {
    const about = { noun: this.noun, phrase: this.texts.told(attribute.phrase) };
    const total = this.chosen.length;
    if (alike.length === 1) return this.text("shared_with_one", { ...about, label: this.label(alike[0]!.row) });
    if (alike.length === total) return this.text("shared_with_all", { ...about, count: this.texts.count(total) });
    return this.text("shared_with_some", { ...about, count: this.texts.count(alike.length), total: this.texts.count(total) });
  }

  private compared(row: number, column: ColumnText, first: number): Candidate[] {
    const share = this.session.shop.below(column, row);
    const [less, more] = [this.texts.told(column.less), this.texts.told(column.more)];
    if (share === null || more === "") return [];
    const found = this.comparedWithPassed(row, column, share);
    if (first !== row) found.push(...this.comparedWithFirst(row, column, share, first));
    if (share > 1 - MOST_ITEMS && share < MOST_ITEMS) return found;
    const gain = this.preferredIn(column, this.item(row), this.session.world.catalog.average);
    if (gain !== null) {
      const { nouns } = this.session.world.publication.header;
      const text = this.text("compared_with_most", { comparison: share >= MOST_ITEMS ? more : less, nouns });
      found.push({ reason: { kind: "compared", text, column: column.name, questions: [] }, gain, personal: false, said: "" });
    }
    return found;
  }

  private comparedWithPassed(row: number, column: ColumnText, share: number): Candidate[] {
    const { shop, world } = this.session;
    const passed = this.passedBut(row).flatMap((each) => {
      const below = shop.below(column, each.row);
      return below === null ? [] : [{ ...each, below }];
    });
    const less = passed.filter(({ below }) => share - below >= VISIBLE_SHARE);
    const more = passed.filter(({ below }) => below - share >= VISIBLE_SHARE);
    const [others, words] = less.length > more.length ? [less, column.more] : [more, column.less];
    if (3 * others.length <= 2 * passed.length) return [];
    const average = new Float64Array(world.catalog.d);
    for (const each of others) this.item(each.row).forEach((value, dim) => (average[dim]! += value / others.length));
    const gain = this.preferredIn(column, this.item(row), average);
    if (gain === null) return [];
    const template = others.length < passed.length ? "compared_with_most_passed" : passed.length === 1 ? "compared_with_one" : "compared_with_passed";
    const text = this.text(template, { comparison: this.texts.told(words), label: this.label(others[0]!.row) });
    const questions = [...new Set(others.map(({ number }) => number))];
    return [{ reason: { kind: "compared", text, column: column.name, questions }, gain, personal: true, said: "" }];
  }

  private comparedWithFirst(row: number, column: ColumnText, share: number, first: number): Candidate[] {
    const other = this.session.shop.below(column, first);
    if (other === null || Math.abs(share - other) < VISIBLE_SHARE) return [];
    const gain = this.preferredIn(column, this.item(row), this.item(first));
    if (gain === null) return [];
    const comparison = this.texts.told(share > other ? column.more : column.less);
    const text = this.text("compared_with_first", { comparison, label: this.label(first) });
    return [{ reason: { kind: "compared", text, column: column.name, questions: [] }, gain, personal: false, said: "" }];
  }

  /** The answers that chose this item, or one like it. */
  private alike(row: number): Candidate[] {
    const { average } = this.session.world.catalog;
    const beyond = this.item(row).map((value, dim) => value - average[dim]!);
    const chosen = this.told.flatMap(({ number, step: { question, choice }, move }) =>
      question.kind === "items" && typeof choice === "number"
        ? [{ number, options: question.options, chosen: question.options[choice]!, gain: dot(beyond, move) }]
        : [],
    );
    const own = chosen.filter((each) => each.chosen === row);
    if (own.length > 0) {
      const over = [...new Set(own.flatMap(({ options }) => options.filter((option) => option !== row).map((option) => this.label(option))))];
      const gain = Math.max(0, ...own.map((each) => each.gain));
      const reason: Reason = { kind: "chosen", text: this.chosenText(over), column: null, questions: own.map(({ number }) => number) };
      return [{ reason, gain, personal: true, said: "" }];
    }
    const last = new Map(chosen.map((each) => [each.chosen, each.number])); // as what they have in common names it
    return chosen
      .filter(({ gain }) => gain > 0)
      .map(({ chosen: liked, gain }) => {
        const text = this.text("like", { label: this.label(liked) });
        return { reason: { kind: "like", text, column: null, questions: [last.get(liked)!] }, gain, personal: false, said: "" };
      });
  }

  private chosenText(over: readonly string[]): string {
    const passed = over[0] ?? "";
    if (over.length < 3) return this.text(over.length === 1 ? "chosen" : "chosen_over_two", { passed, other: over.at(-1) ?? "" });
    return this.text("chosen_over_several", { passed: over.at(-1) ?? "", count: this.texts.count(over.length - 1) });
  }

  /** The items that were chosen, and those that were passed on and never chosen; each once. */
  private seen(): [chosen: Shown[], passed: Shown[]] {
    const chosen = new Map<number, Shown>();
    const passed = new Map<number, Shown>();
    for (const { number, step: { question, choice } } of this.told) {
      if (question.kind === "attributes" || choice === "same" || choice === "skip") continue;
      question.options.forEach((row, index) => (index === choice ? chosen : passed).set(row, { number, row }));
    }
    return [[...chosen.values()], [...passed.values()].filter(({ row }) => !chosen.has(row))];
  }

  private passedBut(row: number): Shown[] {
    return this.passed.filter((each) => each.row !== row);
  }

  /** What a vector is expected to add; null unless it is probably liked. */
  private preferred(vector: ArrayLike<number>): number | null {
    const { particles, weights } = this.session.belief;
    const worth = particles.utilities(vector);
    let [sure, gain] = [0, 0];
    for (let particle = 0; particle < weights.length; particle += 1) {
      if (worth[particle]! > 0) sure += weights[particle]!;
      gain += worth[particle]! * weights[particle]!;
    }
    return sure >= CONFIDENT ? gain : null;
  }

  /** What the difference of two items in a column is expected to add; null unless it is probably liked. */
  private preferredIn({ dimensions: [start, stop] }: ColumnText, one: ArrayLike<number>, other: ArrayLike<number>): number | null {
    const difference = new Float64Array(one.length);
    for (let dim = start; dim < stop; dim += 1) difference[dim] = one[dim]! - other[dim]!;
    return this.preferred(difference);
  }

  private attribute(index: number): AttributeText {
    return this.session.world.publication.header.attributes.each[index]!;
  }

  private vector(index: number): Float32Array {
    return this.session.world.attributes[index]!;
  }

  private item(row: number): Float32Array {
    return this.session.world.catalog.vector(row);
  }

  private label(row: number): string {
    return this.session.shop.label(row);
  }

  private text(template: string, values: Record<string, string>): string {
    return this.texts.message(`reasons.${this.speaker}.${template}`, values);
  }
}

/** What a reason says of an attribute, whomever it compares with. */
function key(attribute: AttributeText): string {
  return typeof attribute.phrase === "string" ? attribute.phrase : (attribute.phrase["en"] ?? "");
}
