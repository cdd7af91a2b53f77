/** Numbers, lists and answers in words. */

import { currentLanguage, type Key, t } from "./messages";
import type { Choice, Fact, Option, Stop } from "./types";

export function percent(share: number): string {
  if (share > 0 && share < 0.005) return t("percent.least");
  return new Intl.NumberFormat(currentLanguage(), { style: "percent" }).format(share);
}

/** An English noun after this number. */
export function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}

/** "a, b and c" */
export function joined(labels: string[], last: "and" | "or"): string {
  const language = currentLanguage() === "en" ? "en-GB" : currentLanguage(); // no comma before "and"
  return new Intl.ListFormat(language, { type: last === "and" ? "conjunction" : "disjunction" }).format(labels);
}

/** The name of an answer other than an option. */
export function extraName(choice: Choice, options: number): string {
  if (choice === "none") return t(options === 2 ? "answer.neither" : "answer.none");
  return t(choice === "same" ? "answer.same" : "answer.skip");
}

const STOPS: Record<string, Key & `stop.${string}`> = {
  questions: "stop.questions",
  exhausted: "stop.exhausted",
  "catalog-changed": "stop.changed",
  "catalog-gone": "stop.gone",
};

/** Whether a conversation can only be read: nothing can be recommended any more. */
export function isReadable(stop: Stop | null): boolean {
  return stop?.code === "catalog-changed" || stop?.code === "catalog-gone";
}

/** Why the conversation is over, or that it need not be. */
export function stopName(stop: Stop | null): string {
  return t(stop === null ? "stop.none" : (STOPS[stop.code] ?? "stop.enough"));
}

// A longer fact is prose to read, not a value to compare.
const PROSE = 56;
const PROSE_NAMES = new Set(["line", "description", "summary", "plot", "about"]);

function isProse(fact: Fact): boolean {
  return fact.value.length > PROSE || /^https?:\/\//.test(fact.value) || PROSE_NAMES.has(fact.name.toLowerCase());
}

/** Whether a value is understood without its name: words are, and a number that looks like a year. */
function isSelfExplanatory(value: string): boolean {
  return /\p{L}/u.test(value) || /^(1[0-9]|20)\d\d$/.test(value);
}

// What the server writes where a value is missing, in each language.
const UNKNOWN = new Set(["unknown", "unbekannt", "inconnu", "desconocido"]);

/** The values of the first few short facts that are known: an item in one line. */
export function summary(facts: Fact[], count: number, longest = PROSE): string {
  return facts
    .filter((fact) => !UNKNOWN.has(fact.value) && isSelfExplanatory(fact.value) && !isProse(fact) && fact.value.length <= longest)
    .slice(0, count)
    .map((fact) => fact.value)
    .join(" · ");
}

/** In what an item is unlike another one, in one line: the first few facts with their names. */
export function unlike(facts: Fact[], others: Fact[], count: number): string {
  const before = new Map(others.map((fact) => [fact.name, fact.value]));
  return facts
    .filter((fact) => !isProse(fact) && before.get(fact.name) !== fact.value)
    .slice(0, count)
    .map((fact) => `${fact.name}: ${fact.value}`)
    .join(" · ");
}

/** The line that was written to be shown with an item; any other prose only where there is nothing to compare. */
export function lineOf(facts: Fact[]): string | undefined {
  const line = facts.find((fact) => fact.name.toLowerCase() === "line")?.value;
  return line || (facts.every(isProse) ? prose(facts) : undefined);
}

export function prose(facts: Fact[]): string | undefined {
  return facts.find((fact) => fact.value !== "" && isProse(fact))?.value;
}

// What is shown of options that differ in no fact.
const ENOUGH = 3;

export interface FactRow {
  name: string;
  /** One for each item, "" where it is not known. */
  values: string[];
  differs: boolean;
  /** The index of the only item that is unlike the others, which are alike. */
  alone: number | null;
}

/** All short facts of items side by side. */
export function factRows(items: { facts: Fact[] }[]): FactRow[] {
  const names = [...new Set(items.flatMap((item) => item.facts.filter((fact) => !isProse(fact)).map((fact) => fact.name)))];
  return names.map((name) => {
    const values = items.map((item) => item.facts.find((fact) => fact.name === name)?.value ?? "");
    return { name, values, differs: new Set(values).size > 1, alone: aloneIn(values) };
  });
}

function aloneIn(values: string[]): number | null {
  if (values.length < 3 || new Set(values).size !== 2) return null;
  const single = values.findIndex((value) => values.indexOf(value) === values.lastIndexOf(value));
  return single >= 0 ? single : null;
}

/** The facts of all options side by side, in the server's order: up to `count` that differ, or a few where none does. */
export function comparison(options: Option[], count: number): FactRow[] {
  const rows = factRows(options);
  const differing = rows.filter((row) => row.differs).slice(0, count);
  return differing.length > 0 ? differing : rows.slice(0, ENOUGH);
}
