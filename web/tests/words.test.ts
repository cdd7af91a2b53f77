import { expect, test } from "vitest";
import type { Option, OptionFact } from "../src/types";
import { comparison, extraName, joined, lineOf, percent, plural, prose, stopName, summary } from "../src/words";

function facts(values: Record<string, string>): OptionFact[] {
  return Object.entries(values).map(([name, value]) => ({ name, value, differs: true }));
}

function option(values: Record<string, string>): Option {
  return { label: "", facts: facts(values) };
}

test("a share is rounded to whole percent, and never to nothing", () => {
  expect([0, 0.001, 0.0049, 0.005, 0.014, 0.5, 1].map(percent)).toEqual(["0%", "<1%", "<1%", "1%", "1%", "50%", "100%"]);
});

test("one thing, two things", () => {
  expect([1, 2, 1000, 0].map((count) => plural(count, "film"))).toEqual(["film", "films", "films", "films"]);
});

test("lists end in a word", () => {
  expect(joined([], "or")).toBe("");
  expect(joined(["a"], "or")).toBe("a");
  expect(joined(["a", "b"], "or")).toBe("a or b");
  expect(joined(["a", "b", "c"], "and")).toBe("a, b and c");
});

test("of two options one says neither", () => {
  expect(extraName("none", 2)).toBe("Neither");
  expect(extraName("none", 3)).toBe("None of these");
});

test("every reason to stop has a name, also one that is not known yet", () => {
  const names = ["questions", "exhausted", "regret", "new", "catalog-changed", "catalog-gone"].map((code) => stopName({ code: code as "regret", text: "" }));
  expect(new Set([stopName(null), ...names]).size).toBe(6);
  expect(names[2]).toBe(names[3]);
});

test("a summary has values that are understood without their names", () => {
  const film = facts({ rating: "8.1", year: "1964", director: "Jacques Demy", line: "A shopgirl falls in love.", runtime: "91 min" });
  expect(summary(film, 3)).toBe("1964 · Jacques Demy · 91 min");
  expect(summary(film, 3, 6)).toBe("1964 · 91 min");
  expect(summary(facts({ size: "9999", age: "12" }), 3)).toBe("");
});

test("prose is the first long fact, or one whose name says so", () => {
  expect(prose(facts({ year: "1964", plot: "Short." }))).toBe("Short.");
  expect(prose(facts({ year: "1964", notes: "x".repeat(57) }))).toBe("x".repeat(57));
  expect(prose(facts({ year: "1964", plot: "" }))).toBeUndefined();
});

test("a comparison shows what differs", () => {
  const rows = comparison([option({ a: "1", b: "x", c: "1", d: "1" }), option({ a: "2", b: "x", c: "2", d: "2" })], 2);
  expect(rows.map((row) => row.name)).toEqual(["a", "c"]);
  expect(rows.map((row) => row.differs)).toEqual([true, true]);
  expect(rows[0]?.values).toEqual(["1", "2"]);
});

test("options that differ in nothing show a few facts", () => {
  const same = option({ a: "1", b: "1", c: "1", d: "x" });
  expect(comparison([same, same], 5).map((row) => row.name)).toEqual(["a", "b", "c"]);
});

test("prose stands on a card if it was written for it or there is nothing else, and addresses are no values", () => {
  expect(lineOf(facts({ year: "1964", line: "A line." }))).toBe("A line.");
  expect(lineOf(facts({ year: "1964", description: "A description." }))).toBeUndefined();
  expect(lineOf(facts({ description: "A description." }))).toBe("A description.");
  expect(comparison([option({ page: "https://a.example/1" }), option({ page: "https://a.example/2" })], 5)).toEqual([]);
});

test("a fact that only one option has differs, and prose is not compared", () => {
  const rows = comparison([option({ a: "1", plot: "p" }), option({ plot: "q" })], 5);
  expect(rows).toEqual([{ name: "a", values: ["1", ""], differs: true, alone: null }]);
});

test("what is not known does not stand in the line of an item", () => {
  expect(summary(facts({ weight: "unknown", drive: "AWD" }), 2)).toBe("AWD");
});
