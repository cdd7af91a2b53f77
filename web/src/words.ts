/** Numbers, lists and answers in words. */

import type { Choice, Fact, Option, Stop, Why } from "./types";

export function percent(share: number): string {
  if (share > 0 && share < 0.005) return "<1%";
  return `${Math.round(100 * share)}%`;
}

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** "a, b and c" */
export function joined(labels: string[], last: "and" | "or"): string {
  const [first = "", ...rest] = labels;
  const end = rest.pop();
  return end === undefined ? first : `${[first, ...rest].join(", ")} ${last} ${end}`;
}

/** The name of an answer other than an option. */
export function extraName(choice: Choice, options: number): string {
  if (choice === "none") return options === 2 ? "Neither" : "None of these";
  return choice === "same" ? "About the same" : "Skip";
}

const STOPS: Record<string, string> = {
  questions: "That was the last question",
  exhausted: "Every question has been asked",
  "catalog-changed": "The catalogue has changed",
  "catalog-gone": "The catalogue is gone",
};

/** Whether a conversation can only be read: nothing can be recommended any more. */
export function isReadable(stop: Stop | null): boolean {
  return stop?.code === "catalog-changed" || stop?.code === "catalog-gone";
}

/** Why the conversation is over, or that it need not be. */
export function stopName(stop: Stop | null): string {
  if (stop === null) return "Our best guess so far";
  return STOPS[stop.code] ?? "That is enough to go on";
}

// A longer fact is prose to read, not a value to compare.
const PROSE = 56;
const PROSE_NAMES = new Set(["line", "description", "summary", "plot", "about"]);

function isProse(fact: Fact): boolean {
  return fact.value.length > PROSE || PROSE_NAMES.has(fact.name.toLowerCase());
}

/** Whether a value is understood without its name: words are, and a number that looks like a year. */
function isSelfExplanatory(value: string): boolean {
  return /\p{L}/u.test(value) || /^(1[0-9]|20)\d\d$/.test(value);
}

/** The values of the first few short facts: an item in one line. */
export function summary(facts: Fact[], count: number, longest = PROSE): string {
  return facts
    .filter((fact) => isSelfExplanatory(fact.value) && !isProse(fact) && fact.value.length <= longest)
    .slice(0, count)
    .map((fact) => fact.value)
    .join(" · ");
}

export function prose(facts: Fact[]): string | undefined {
  return facts.find((fact) => fact.value !== "" && isProse(fact))?.value;
}

// With this many facts that differ, those that do not need not be shown.
const ENOUGH = 3;

/** The facts of all options side by side: up to `count` that differ, and a few that do not where those are few. */
export function comparison(options: Option[], count: number): { name: string; values: string[]; differs: boolean }[] {
  const names = [...new Set(options.flatMap((option) => option.facts.filter((fact) => !isProse(fact)).map((fact) => fact.name)))];
  const rows = names.map((name) => {
    const values = options.map((option) => option.facts.find((fact) => fact.name === name)?.value ?? "");
    return { name, values, differs: new Set(values).size > 1 };
  });
  const differing = rows.filter((row) => row.differs).slice(0, count);
  const same = rows.filter((row) => !row.differs).slice(0, Math.max(0, ENOUGH - differing.length));
  return [...differing, ...same];
}

/** The reasons in a list, each with whether an earlier one names the same answer: then it can be shorter. */
export function withRepeats(reasons: (Why | null | undefined)[]): { why: Why | null; repeated: boolean }[] {
  const answers = new Set<string>();
  return reasons.map((why) => {
    const repeated = why ? answers.has(why.answer) : false;
    if (why) answers.add(why.answer);
    return { why: why ?? null, repeated };
  });
}
