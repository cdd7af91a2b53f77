/** How sure we are of recommended items, and what each stands for. */

import { type Session, ROUNDING, norm } from "./session";
import type { Wish } from "./shop";
import type { Texts } from "./texts";
import { dot } from "./value";

export interface Recommended {
  row: number;
  expected: number;
  spread: number;
  probabilityBest: number;
  match: number;
  probabilityGood: number;
}

/** Allowed items that stand for all of them in an average. */
const SAMPLED_ITEMS = 1000;
const MATCHES = [["strong", 0.85], ["good", 0.6], ["fair", 0.3]] as const;
const SURE = [["", 0.9], ["_fairly", 0.7]] as const;
/** Where fewer would take an item, it stands for nothing in particular. */
const LEAST_SHARE = 0.05;
/** How much more they must like what is said, in standard deviations. */
const LEAST_DIFFERENCE = 0.25;
const MOST_WISHES = 3;

export function recommendations(session: Session, rows: readonly number[]): Recommended[] {
  const { belief, policy } = session;
  const { weights, particles } = belief;
  const recommender = policy.recommender(belief);
  const best = recommender.favourites.utilities;
  const average = particles.utilities(averageItem(session));
  const lengths = particles.norms();
  const [start, end] = [dot(weights, average), dot(weights, best)];
  const equal = end - start <= 1e-6 * (Math.abs(end) + Math.abs(start));
  return rows.map((row) => {
    const own = recommender.utilities(row);
    const expected = dot(own, weights);
    const length = norm(session.world.catalog.vector(row));
    let [variance, beaten, good] = [0, 0, 0];
    for (let particle = 0; particle < belief.m; particle += 1) {
      const [utility, weight, most] = [own[particle]!, weights[particle]!, best[particle]!];
      variance += weight * (utility - expected) ** 2;
      if (utility < most - ROUNDING * length * lengths[particle]!) beaten += weight;
      if (utility >= (average[particle]! + most) / 2 - 1e-6 * Math.abs(most)) good += weight;
    }
    const match = equal ? 1 : within((expected - start) / (end - start));
    return { row, expected, spread: Math.sqrt(Math.max(0, variance)), probabilityBest: within(1 - beaten), match, probabilityGood: within(good) };
  });
}

/** How well an item matches and how sure that is, in words. */
export function matchText({ match, probabilityGood }: Recommended, texts: Texts): string {
  const name = MATCHES.find(([, least]) => match >= least)?.[0] ?? "weak";
  const sure = name === "weak" ? 1 - probabilityGood : probabilityGood;
  return texts.message(`match.${name}${SURE.find(([, least]) => sure >= least)?.[0] ?? "_unsure"}`);
}

/** How an item is most likely to be wished otherwise, one way for each column. */
export function wishes(session: Session, row: number): Wish[] {
  const found = session.shop.wishes(row);
  const { particles, weights } = session.belief;
  const { m, data } = particles;
  const worth = found.map(({ dims, amounts }) => {
    let total = 0;
    for (let particle = 0; particle < m; particle += 1) {
      let utility = 0;
      for (let index = 0; index < dims.length; index += 1) utility += amounts[index]! * data[dims[index]! * m + particle]!;
      if (utility > 0) total += utility * weights[particle]!;
    }
    return total;
  });
  const best = new Map(found.filter(({ kind }) => kind.usual).map((wish) => [wish.kind.column, wish]));
  const order = [...found.keys()].sort((one, other) => worth[other]! - worth[one]!);
  for (const index of order) if (!best.has(found[index]!.kind.column)) best.set(found[index]!.kind.column, found[index]!);
  return [...best.values()].slice(0, MOST_WISHES);
}

/** For each item of a list what it stands for, in words; "" where that cannot be said. Nothing is said twice. */
export function standsFor(session: Session, rows: readonly number[], texts: Texts, speaker: "you" | "they"): string[] {
  const { each } = texts.publication.header.attributes;
  const said = new Set<string>();
  const found = rows.map(() => "");
  const taken = new Set<number>();
  for (const { slot, attribute } of strengths(session, rows)) {
    const { column, described } = each[attribute]!;
    if (taken.has(slot) || said.has(column)) continue;
    taken.add(slot);
    said.add(column);
    found[slot] = texts.message(`standing.${speaker}`, { thing: texts.told(described) });
  }
  return found;
}

/** How much more than others those who would take an item like what it has, the strongest first. */
function strengths(session: Session, rows: readonly number[]): { slot: number; attribute: number; strength: number }[] {
  const { belief, world, shop } = session;
  const { header } = world.publication;
  const own = rows.map((row) => header.columns.flatMap((column) => shop.attributes(column, row)).filter((index) => header.attributes.each[index]!.hasPhrase));
  if (rows.length < 2 || own.every((each) => each.length === 0)) return [];
  const utilities = rows.map((row) => belief.particles.ofItem(row, world.catalog));
  const takers = new Uint8Array(belief.m);
  for (let particle = 0; particle < belief.m; particle += 1) {
    for (let slot = 1; slot < rows.length; slot += 1) if (utilities[slot]![particle]! > utilities[takers[particle]!]![particle]!) takers[particle] = slot;
  }
  const found: { slot: number; attribute: number; strength: number }[] = [];
  own.forEach((attributes, slot) => {
    const share = belief.weights.reduce((sum, weight, particle) => sum + (takers[particle] === slot ? weight : 0), 0);
    if (share < LEAST_SHARE || share > 1 - LEAST_SHARE) return;
    for (const attribute of attributes) {
      const liked = belief.particles.utilities(world.attributes[attribute]!);
      const mean = dot(liked, belief.weights);
      let [variance, theirs] = [0, 0];
      for (let particle = 0; particle < belief.m; particle += 1) {
        variance += belief.weights[particle]! * (liked[particle]! - mean) ** 2;
        if (takers[particle] === slot) theirs += belief.weights[particle]! * liked[particle]!;
      }
      const strength = (theirs / share - mean) / Math.max(Math.sqrt(variance), 1e-12);
      if (strength >= LEAST_DIFFERENCE) found.push({ slot, attribute, strength });
    }
  });
  return found.sort((one, other) => other.strength - one.strength || one.slot - other.slot);
}

/** The average of the allowed items, of evenly spaced ones where they are many. */
function averageItem({ world: { catalog }, policy: { allowed } }: Session): Float32Array | Float64Array {
  if (allowed === null) return catalog.average;
  const rows = catalog.rows(allowed);
  const step = Math.max(1, Math.floor(rows.length / SAMPLED_ITEMS));
  const sampled = rows.filter((_, index) => index % step === 0);
  const sum = new Float64Array(catalog.d);
  for (const row of sampled) catalog.vector(row).forEach((value, dim) => (sum[dim]! += value / sampled.length));
  return sum;
}

function within(share: number): number {
  return Math.min(1, Math.max(0, share));
}
