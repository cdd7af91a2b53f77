import { expect, test } from "vitest";
import { choiceOf } from "../src/keys";

test("digits from 1 choose an option by its position", () => {
  expect(["1", "2", "9"].map(choiceOf)).toEqual([0, 1, 8]);
});

test("0, = and ? are the answers other than an option", () => {
  expect(["0", "=", "?"].map(choiceOf)).toEqual(["none", "same", "skip"]);
});

test("other keys are no answers", () => {
  expect(["a", " ", "Enter", "Backspace", "10", "F1", "¹", "١"].map(choiceOf)).toEqual(Array(8).fill(null));
});
