import { describe, expect, test } from "vitest";
import { contradictions } from "../src/engine/contradictions";
import { Conversations } from "../src/engine/conversations";
import { events } from "../src/engine/log";
import { World } from "../src/engine/policy";
import { reasons } from "../src/engine/reasons";
import { matchText, recommendations, standsFor, wishes } from "../src/engine/recommendations";
import { Texts } from "../src/engine/texts";
import { Judge } from "../src/engine/value";
import { profileView } from "../src/engine/views";
import { after, goldens, worldOf } from "./golden";

for (const golden of await goldens()) {
  const world = await worldOf(golden);
  const texts = (language: string): Texts => new Texts(world.publication, language);

  describe(`the engine agrees with the library: ${golden.name}`, () => {
    golden.cases.forEach((expected, number) => {
      const session = after(world, expected.events);
      const { belief, policy } = session;

      test(`case ${number}: weights`, () => {
        const error = Math.max(...expected.weights.map((weight, index) => Math.abs(weight - belief.weights[index]!)));
        expect(error).toBeLessThan(1e-5);
      });

      test(`case ${number}: EVOI of items and attributes`, () => {
        const judge = Judge.of(world.catalog, belief, world.response, 2, null);
        for (const kind of ["items", "attributes"] as const) {
          for (const { items, evoi } of kind === "items" ? expected.slates : expected.attributes) {
            const vectors = policy.vectors({ kind, options: items, evoi: 0 });
            expect(Math.abs(judge.evoi(vectors.map((vector) => belief.particles.utilities(vector))) - evoi)).toBeLessThan(1e-4);
          }
        }
      });

      test(`case ${number}: what an answer adds to the list, and the regret`, () => {
        if (expected.gain !== null) expect(policy.gain(belief, { kind: "items", options: [1, 2], evoi: 0 })).toBeCloseTo(expected.gain, 4);
        expect(session.regret).toBeCloseTo(expected.regret, 4);
        expect(policy.startRegret).toBeCloseTo(expected.start_regret, 4);
        expect(session.probabilityOneBest(policy.recommender(belief).listed(policy.recommender(belief).size))).toBeCloseTo(expected.probability_best, 4);
      });

      const rows = policy.recommender(belief).listed(expected.recommended.length);

      test(`case ${number}: recommendations and lists`, () => {
        expect(rows).toEqual(expected.recommended.map(({ row }) => row));
        recommendations(session, rows).forEach((item, index) => {
          const wanted = expected.recommended[index]!;
          expect(item.expected).toBeCloseTo(wanted["expected"] as number, 4);
          expect(item.spread).toBeCloseTo(wanted["spread"] as number, 4);
          expect(item.probabilityBest).toBeCloseTo(wanted["probability_best"] as number, 4);
          expect(item.match).toBeCloseTo(wanted["match"] as number, 4);
          expect(item.probabilityGood).toBeCloseTo(wanted["probability_good"] as number, 4);
          expect(matchText(item, texts("es"))).toBe(wanted["match_text"]);
          expect(wishes(session, item.row).map(({ kind }) => texts("de").told(kind.said))).toEqual(wanted["wishes"]);
        });
      });

      test(`case ${number}: reasons and what items stand for`, () => {
        for (const language of ["en", "de"] as const) {
          const said = reasons(session, rows, texts(language), "you").map((own) => own.map(({ kind, text, column }) => [kind, text, column]));
          expect(said).toEqual(expected.reasons[language]);
        }
        expect(standsFor(session, rows.slice(0, expected.stands_for.length), texts("en"), "you")).toEqual(expected.stands_for);
      });

      test(`case ${number}: the log`, () => {
        expect(events(session, expected.events).map(comparable)).toEqual(expected.log.map(comparable));
      });

      test(`case ${number}: tastes`, () => {
        const { tastes } = profileView(session, texts("fr"));
        expected.tastes.forEach((taste, index) => {
          expect(tastes[index]!.feature).toBe(taste["feature"]);
          for (const name of ["mean", "spread", "prior_mean", "weight"] as const) expect(tastes[index]![name]).toBeCloseTo(taste[name] as number, 4);
        });
      });
    });

    for (const ask of ["items", "attributes"] as const) {
      test(`its questions about ${ask} are worth 99 % of auto's`, () => {
        const cases = golden.questions.filter((each) => each.ask === ask);
        const ratios = cases.map(({ events, evoi }) => {
          const session = after(world, events, ask);
          const question = session.policy.question(session.belief, session.asked, true)!; // as if hinted: not the published one
          return question.evoi / evoi;
        });
        expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length).toBeGreaterThan(0.99);
      }, 60_000);
    }

    test("rejuvenated beliefs agree in distribution", () => {
      const { events, rows, mean, spread } = golden.posterior;
      const seeds = 6;
      world.publication.header.rejuvenation = { threshold: 0.5, moves: 10, max_particles: 1000 };
      const found = Array.from({ length: seeds }, (_, seed) => {
        const { belief } = after(world, events, "items", seed);
        return rows.map((row) => belief.mean.reduce((sum, value, dim) => sum + value * world.catalog.vector(row)[dim]!, 0));
      });
      world.publication.header.rejuvenation = null;
      rows.forEach((_, index) => expectSameMean(found.map((each) => each[index]!), mean[index]!, spread[index]!));
    }, 60_000);

    test("contradictions: the same pairs in the same words where particles are only reweighted", async () => {
      const exact = await worldOf(golden);
      exact.publication.header.hasPrior = false;
      const session = after(new World(exact.publication), golden.contradictions.events);
      for (const language of ["en", "es"] as const) {
        const found = contradictions(session, texts(language));
        const wanted = golden.contradictions.found[language];
        expect(found.map(({ probability: _, ...each }) => each)).toEqual(wanted.map(({ probability: _, ...each }) => each));
        found.forEach(({ probability }, index) => expect(probability).toBeCloseTo(wanted[index]!.probability, 4));
      }
    });

    test("contradictions: as surprising in distribution where particles move", () => {
      const { events, mean, spread } = golden.contradictions;
      const found = [0, 1, 2, 3, 4, 5].map((seed) => contradictions(after(world, events, "items", seed), texts("en"))[0]!.probability);
      expectSameMean(found, mean, spread);
    }, 60_000);

    test("a revised answer leaves the log and the weights that it leaves in the library", () => {
      const { events: before, answer, choice, log, weights } = golden.revised;
      const conversations = new Conversations(world);
      const settings = { k: 2, ask: "items" as const, seed: 0, questions: null, language: null };
      conversations.load({ id: "one", hash: world.publication.header.hash, settings, filters: [], changes: 0, created: "", events: before });
      const revised = conversations.revise("one", answer, choice, "", "en");
      const { events: happened } = conversations.stored("one");
      const session = after(world, happened);
      expect(events(session, happened).map(comparable)).toEqual(log.map(comparable));
      expect(Math.max(...weights.map((weight, index) => Math.abs(weight - session.belief.weights[index]!)))).toBeLessThan(1e-5);
      expect(conversations.history({ session: "one" }, "en").turns.filter((turn) => !turn.undone)[1]!.choice).toBe(choice);
      expect(() => conversations.revise("one", answer, 0, "", "en")).toThrow("has been taken back");
      expect(revised.answers).toBe(before.filter(({ type }) => type === "answer").length);
    });
  });
}

/** Means over random seeds are equal within their errors. */
function expectSameMean(own: number[], mean: number, spread: number): void {
  const seeds = own.length;
  const average = own.reduce((sum, value) => sum + value / seeds, 0);
  const variance = own.reduce((sum, value) => sum + (value - average) ** 2 / (seeds - 1), 0);
  expect(Math.abs(average - mean)).toBeLessThan(4.5 * Math.sqrt((variance + spread ** 2) / seeds));
}

/** An event of a log without what is written another way: numbers in full, and a sentence in pieces. */
function comparable(event: Record<string, unknown>): unknown {
  const text = JSON.stringify(event, (name, value: unknown) => {
    if (name === "words") return (value as (string | string[])[]).flat().join("");
    return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
  });
  return JSON.parse(text);
}
