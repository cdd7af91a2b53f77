/** Which attributes to ask about: slates of single attributes, improved by swaps, as the library's `auto` does. */

import type { Belief, Particles } from "./belief";
import { type Allowed, type Catalog, highest } from "./catalog";
import { type Chosen, slateName } from "./itemQuestions";
import { Odds } from "./odds";
import { type Random, systematic } from "./random";
import type { Logistic } from "./responses";
import { argmax, combinations, Judge } from "./value";

/** Particles and items on which swaps are ranked, and on which the best of them are judged. */
const SIEVE_PARTICLES = 256;
const SIEVE_ITEMS = 48;
const PARTICLES = 512;
const ITEMS = 192;
/** Of all swaps, this many are judged on more particles and items. */
const SIEVED = 12;
const STARTS = 10;
/** Of the slates that the starts lead to, this many go on with the better judge. */
const KEPT = 3;
const SWEEPS = 4;
const FINALISTS = 6;
/** A swap must raise EVOI by more than this share. */
const LEAST_GAIN = 1e-6;

export interface AttributeProblem {
  catalog: Catalog;
  /** Vectors of the attributes that can be asked about. */
  attributes: Float32Array[];
  belief: Belief;
  response: Logistic;
  k: number;
  allowed: Allowed;
  asked: ReadonlySet<string>;
  random: Random;
}

/** The best slate that is found and was not asked; null when every one was. */
export function attributeQuestion(problem: AttributeProblem): Chosen | null {
  const { catalog, attributes, belief, response, k, allowed, asked, random } = problem;
  const count = attributes.length;
  if (count < k || asked.size >= combinations(count, k)) return null;
  const rows = recommendable(problem);
  const sieve = Pooled.of(problem, rows.slice(0, SIEVE_ITEMS), SIEVE_PARTICLES);
  const fine = Pooled.of(problem, rows, PARTICLES);
  const rough = [sieve.greedy(k), ...starts(sieve, k, random)].flatMap((start) => swapped(start, sieve, null, asked, count) ?? []);
  const going = new Map(rough.map(({ slate }) => [slateName(slate), { slate, value: fine.evoi(slate) }]));
  const ends = new Map(going);
  for (const { slate } of ranked(going).slice(0, KEPT)) {
    const end = swapped(slate, sieve, fine, asked, count);
    if (end !== null) ends.set(slateName(end.slate), end);
  }
  const exact = Judge.of(catalog, belief, response, k, allowed);
  const average = belief.particles.utilities(catalog.average);
  let chosen: Chosen | null = null;
  for (const { slate } of ranked(ends).slice(0, FINALISTS)) {
    const options = slate.map((index) => sum(average, belief.particles.utilities(attributes[index]!)));
    const evoi = Math.max(0, exact.evoi(options));
    if (chosen === null || evoi > chosen.evoi) chosen = { options: slate, evoi };
  }
  return chosen;
}

interface Valued {
  slate: number[];
  value: number;
}

function ranked(slates: ReadonlyMap<string, Valued>): Valued[] {
  return [...slates.values()].sort((one, other) => other.value - one.value);
}

/** Coordinate ascent: each attribute in turn becomes the one of highest EVOI; null if all that is met was asked.
 *  @param fine - Judges the best swaps by the sieve; null leaves that to the sieve. */
function swapped(start: number[], sieve: Pooled, fine: Pooled | null, asked: ReadonlySet<string>, count: number): Valued | null {
  const judge = fine ?? sieve;
  let slate = start;
  let value = asked.has(slateName(slate)) ? -Infinity : judge.evoi(slate);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const before = value;
    for (let option = 0; option < slate.length; option += 1) {
      const others = slate.filter((_, index) => index !== option);
      const rough = new Float64Array(count).fill(-Infinity);
      for (let index = 0; index < count; index += 1) {
        const changed = slate.map((own, place) => (place === option ? index : own));
        if (!others.includes(index) && !asked.has(slateName(changed))) rough[index] = sieve.evoi(changed);
      }
      for (const index of highest(rough, fine === null ? 1 : SIEVED)) {
        if (rough[index] === -Infinity || index === slate[option]) continue;
        const changed = slate.map((own, place) => (place === option ? index : own));
        const gained = judge.evoi(changed);
        if (gained > value + LEAST_GAIN * Math.abs(value) || value === -Infinity) [slate, value] = [changed, gained];
      }
    }
    if (value === before) break;
  }
  return value === -Infinity ? null : { slate, value };
}

/** Slates of attributes drawn in proportion to the variance of their utility, without replacement. */
function starts(pooled: Pooled, k: number, random: Random): number[][] {
  const logs = pooled.variances().map((variance) => Math.log(Math.max(variance, 1e-30)));
  return Array.from({ length: STARTS }, () => {
    const noisy = logs.map((log) => log - Math.log(-Math.log(random.uniform())));
    return highest(noisy, k);
  });
}

/** The rows that are worth recommending after some answer: the best for the mean, and for most of the belief. */
function recommendable({ catalog, belief, allowed }: AttributeProblem): number[] {
  const favourites = belief.particles.favouritesAmong(catalog, allowed).rows;
  const held = new Map<number, number>();
  favourites.forEach((row, particle) => held.set(row, (held.get(row) ?? 0) + belief.weights[particle]!));
  const frequent = [...held].sort((one, other) => other[1] - one[1]).map(([row]) => row);
  return [...new Set([...catalog.top(belief.mean, 4, allowed), ...frequent])].slice(0, ITEMS);
}

/** EVOI while only the items of a pool are recommended, on a few particles. Each slate is valued once. */
class Pooled {
  private readonly ofEach: Float64Array[];
  private readonly odds: Odds;
  private readonly answers: Float64Array[];
  private readonly weights: Float64Array;
  private readonly worth: Float32Array[];
  private readonly now: number;
  private readonly extras: number;
  private readonly known = new Map<string, number>();

  private constructor(
    { catalog, attributes, response, k }: AttributeProblem,
    rows: number[],
    private readonly particles: Particles,
  ) {
    const { m } = particles;
    const average = particles.utilities(catalog.average);
    this.ofEach = attributes.map((vector) => particles.utilities(vector));
    this.odds = new Odds(response, this.ofEach.map((own) => sum(average, own)), m);
    this.extras = response.extras.length;
    this.answers = Array.from({ length: k + this.extras }, () => new Float64Array(m));
    this.weights = new Float64Array(m).fill(1 / m);
    this.worth = rows.map((row) => particles.ofItem(row, catalog));
    this.now = this.best(this.weights);
  }

  static of(problem: AttributeProblem, rows: number[], count: number): Pooled {
    const { belief, random } = problem;
    const drawn = systematic(belief.weights, Math.min(belief.m, count), random);
    return new Pooled(problem, rows, belief.particles.taken(drawn));
  }

  evoi(slate: readonly number[]): number {
    const name = slateName(slate);
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const answers = this.answers.slice(0, slate.length + this.extras);
    this.odds.weighted(slate, this.weights, answers);
    const value = answers.reduce((total, answer) => total + this.best(answer), 0) - this.now;
    this.known.set(name, value);
    return value;
  }

  variances(): Float64Array {
    const { m } = this.particles;
    return Float64Array.from(this.ofEach, (own) => {
      let [mean, square] = [0, 0];
      for (let particle = 0; particle < m; particle += 1) {
        mean += own[particle]! / m;
        square += own[particle]! ** 2 / m;
      }
      return square - mean * mean;
    });
  }

  /** From the attribute of highest variance, append the one of highest EVOI. */
  greedy(k: number): number[] {
    const slate = [argmax(this.variances())];
    while (slate.length < k) {
      const values = this.ofEach.map((_, index) => (slate.includes(index) ? -Infinity : this.evoi([...slate, index])));
      slate.push(argmax(values));
    }
    return slate;
  }

  /** What the best item of the pool is worth to weighted particles. */
  private best(weights: Float64Array): number {
    let best = -Infinity;
    for (const own of this.worth) {
      let score = 0;
      for (let particle = 0; particle < weights.length; particle += 1) score += weights[particle]! * own[particle]!;
      if (score > best) best = score;
    }
    return best;
  }
}

function sum(one: Float64Array, other: Float64Array): Float64Array {
  return one.map((value, index) => value + other[index]!);
}
