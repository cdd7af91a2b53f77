import { expect, test } from "vitest";
import type { PlanNode } from "../src/engine/publication";
import type { Choice } from "../src/engine/responses";
import { type Event, Session } from "../src/engine/session";
import { Judge } from "../src/engine/value";
import { after, goldens, worldOf } from "./golden";

const SAID: PlanNode = [[0, 2], [null, null, null, null], "attributes"];
const SECOND: PlanNode = [[5, 9], [null, null, null, null], "items"];
const PLAN: PlanNode = [[3, 8], [null, SECOND, SAID, null], "items"];

const world = await worldOf((await goldens())[0]!);
world.publication.header.plan = PLAN;
world.publication.header.first = null;

function answered(options: number[], choice: Choice): Event {
  return { type: "answer", question: { kind: "items", options, evoi: 0 }, choice, id: "", regret: null, at: "" };
}

/** The options of the next question, and of the one that the engine would choose without a plan. */
function next(session: Session): { asked: number[]; own: number[] } {
  const options = (hinted: boolean): number[] => session.policy.question(session.belief, session.asked, hinted)!.options;
  return { asked: options(false), own: options(true) };
}

test("the planned questions are asked, by the answers before them", () => {
  expect(next(after(world, [])).asked).toEqual([3, 8]);
  expect(next(after(world, [answered([3, 8], 1)])).asked).toEqual([5, 9]);
});

test.each<[string, Event[]]>([
  ["where it ends", [answered([3, 8], 0)]],
  ["below its last question", [answered([3, 8], 1), answered([5, 9], 0)]],
  ["after a skipped question", [answered([3, 8], "skip")]],
  ["after a question of its own", [answered([2, 7], 1)]],
])("the engine chooses %s", (_, events) => {
  const { asked, own } = next(after(world, events));
  expect(asked).toEqual(own);
  for (const planned of [PLAN[0], SECOND[0]]) expect(asked).not.toEqual(planned);
});

test("a plan may ask about attributes, which no items of the same numbers are", () => {
  const question = (events: Event[]) => {
    const session = after(world, events);
    return session.policy.question(session.belief, session.asked, false)!;
  };
  const asked = question([answered([3, 8], "none")]);
  expect(asked).toMatchObject({ kind: "attributes", options: [0, 2] });
  const session = after(world, [answered([3, 8], "none")]);
  const utilities = session.policy.vectors(asked).map((vector) => session.belief.particles.utilities(vector));
  expect(asked.evoi).toBeCloseTo(Judge.of(world.catalog, session.belief, world.response, 2, null).evoi(utilities), 6);
  expect(asked.evoi).toBeGreaterThan(0);
  expect(question([answered([0, 2], 0)]).options).not.toEqual([3, 8]);
  const told = { ...answered([0, 2], 0), question: { kind: "attributes" as const, options: [0, 2], evoi: 0 } };
  const below: PlanNode = [[1, 4], [null, null, null, null], "items"];
  world.publication.header.plan = [[0, 2], [below, null, null, null], "attributes"];
  expect(question([told]).options).toEqual([1, 4]);
  expect(question([answered([0, 2], 0)]).options).not.toEqual([1, 4]);
  world.publication.header.plan = PLAN;
});

test("what was skipped may be taken back, and the plan goes on", () => {
  const events: Event[] = [answered([3, 8], "skip"), { type: "undo", at: "" }, answered([3, 8], 1)];
  expect(next(after(world, events)).asked).toEqual([5, 9]);
});

test("with must-haves, the engine chooses", () => {
  const [column] = world.publication.header.filters.filter(({ kind }) => kind === "category");
  const filter = { attribute: column!.attribute, any_of: column!.values!.slice(0, 4).map(([value]) => value), minimum: null, maximum: null };
  const { asked, own } = next(new Session(world, { k: 2, ask: "items", seed: 0, questions: null, language: null }, [filter]));
  expect(asked).toEqual(own);
  expect(asked).not.toEqual(PLAN[0]);
});
