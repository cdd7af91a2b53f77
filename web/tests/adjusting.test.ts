import { expect, test } from "vitest";
import { adjustedFirst, isAdjustable, isConfigured } from "../src/adjusting";
import type { Catalog, Recommendation, Session } from "../src/types";
import { session } from "./sessions";

const catalogs = [
  { name: "bicycles", adjustable: true },
  { name: "films", adjustable: false },
] as Catalog[];
const state = { catalogs, readOnly: false };
const api = { adjustment: () => Promise.reject(new Error("unused")) };
const bicycles = (changes: Partial<Session> = {}): Session => session({ catalog: "bicycles", ...changes });
const item = (id: string): Recommendation => ({ id }) as Recommendation;

test("a catalogue that is not loaded yet has no configurations", () => {
  expect(isConfigured(state, bicycles())).toBe(true);
  expect(isConfigured(state, session())).toBe(false);
  expect(isConfigured({ catalogs: [] }, bicycles())).toBe(false);
});

test("configurations are changed where the person answers freely and a server says what else must change", () => {
  expect(isAdjustable(state, bicycles(), api)).toBe(true);
  expect(isAdjustable(state, session(), api)).toBe(false);
  expect(isAdjustable({ ...state, readOnly: true }, bicycles(), api)).toBe(false);
  expect(isAdjustable(state, bicycles({ study: { name: "spring" } as unknown as NonNullable<Session["study"]> }), api)).toBe(false);
  expect(isAdjustable(state, bicycles(), {})).toBe(false);
});

test("what was adjusted comes first, and once", () => {
  const items = [item("a"), item("b"), item("c")];
  const ids = (adjusted: Recommendation | null): unknown[] => adjustedFirst(bicycles({ adjusted }), items).map(({ id }) => id);
  expect(ids(null)).toEqual(["a", "b", "c"]);
  expect(ids(item("b"))).toEqual(["b", "a", "c"]);
  expect(ids(item("d"))).toEqual(["d", "a", "b", "c"]);
  expect(adjustedFirst(bicycles(), items)).toBe(items);
});
