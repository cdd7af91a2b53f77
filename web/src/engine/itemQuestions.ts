/** Which items to ask about: a search among the few items that matter for this belief, as the library's `auto` does. */

import type { Belief, Particles } from "./belief";
import { type Allowed, type Catalog, highest } from "./catalog";
import { Odds } from "./odds";
import { type Random, systematic } from "./random";
import type { Logistic } from "./responses";
import { argmax, combinations, dot, Judge } from "./value";

/** A catalogue up to this size is its own pool; of a larger one, so many items enter it for each reason. */
const SMALL_CATALOG = 512;
const TOP = 16;
const GROUPS = 24;
const DEPTH = 6;
const FAVOURITES = 160;
/** Particles that the search is done on; the last few slates are judged on all. */
const THINNED = 256;
/** Slates to start from, and how many of them go on to a fixed point. */
const STARTS = 32;
const GOING_ON = 8;
const MOST_STEPS = 8;
/** Slates that exchange single items, and how often. */
const EXCHANGING = 4;
const EXCHANGES = 6;
/** Items that are the best for most, and partners that are tried for each. */
const ANCHORS = 12;
const PARTNERS = 2;
/** Up to so many slates, all are valued. */
const FEW_SLATES = 800;
/** The first question of a conversation is searched more thoroughly: nothing is known yet, and much can be asked. */
const FIRST = 4;
/** Slates that are judged on all particles and items, and how many steps the best of them still take there. */
const FINALISTS = 10;
const LAST_STEPS = 3;
/** An exchange must gain more than rounding. */
const ROUNDING = 1e-6;

export interface Chosen {
  options: number[];
  evoi: number;
}

export interface ItemProblem {
  catalog: Catalog;
  belief: Belief;
  response: Logistic;
  k: number;
  allowed: Allowed;
  /** Names of the slates that were asked, see `slateName`. */
  asked: ReadonlySet<string>;
  random: Random;
}

/** The same for every order of the options. */
export function slateName(options: readonly number[]): string {
  return [...options].sort((one, other) => one - other).join(",");
}

/** The best slate that is found and was not asked; null when every one was. */
export function itemQuestion(problem: ItemProblem): Chosen | null {
  const { catalog, belief, k, allowed, asked, random } = problem;
  const rows = catalog.rows(allowed);
  if (rows.length < k || asked.size >= combinations(rows.length, k)) return null;
  const found = new Search(problem, rows).found();
  const exact = Judge.of(catalog, belief, problem.response, k, allowed);
  const finals = new Map<string, Chosen>();
  const judge = (slate: number[]): number[] => {
    const after = exact.after(slate.map((row) => belief.particles.ofItem(row, catalog)));
    finals.set(slateName(slate), { options: slate, evoi: after.value - exact.now });
    return distinct(after.scores.slice(0, k)).map((place) => exact.rows[place]!);
  };
  for (const slate of found.slice(0, FINALISTS)) {
    if (finals.has(slateName(slate))) continue;
    let next = judge(slate);
    for (let step = 0; step < LAST_STEPS && finals.size <= FINALISTS + 4 && !finals.has(slateName(next)); step += 1) next = judge(next);
  }
  return best(finals.values(), asked) ?? another(judge, finals, rows, k, asked, random);
}

function best(finals: Iterable<Chosen>, asked: ReadonlySet<string>): Chosen | null {
  let chosen: Chosen | null = null;
  for (const each of finals) if (!asked.has(slateName(each.options)) && (chosen === null || each.evoi > chosen.evoi)) chosen = each;
  return chosen === null ? null : { options: chosen.options, evoi: Math.max(0, chosen.evoi) };
}

/** When all that was found has been asked: the best of some random slates that were not. */
function another(
  judge: (slate: number[]) => number[],
  finals: Map<string, Chosen>,
  rows: number[],
  k: number,
  asked: ReadonlySet<string>,
  random: Random,
): Chosen | null {
  finals.clear();
  for (let attempt = 0; finals.size < 64 && (attempt < 512 || finals.size === 0); attempt += 1) {
    const slate = randomRows(rows, k, random);
    if (!asked.has(slateName(slate)) && !finals.has(slateName(slate))) judge(slate);
  }
  return best(finals.values(), asked);
}

function randomRows(rows: readonly number[], k: number, random: Random): number[] {
  const drawn = new Set<number>();
  while (drawn.size < k) drawn.add(rows[random.below(rows.length)]!);
  return [...drawn];
}

/** The search on a few particles, among the items of a pool. Slates are positions in the pool. */
class Search {
  private readonly pool: number[];
  private readonly particles: Particles;
  private readonly weights: Float64Array;
  private readonly utilities: Float32Array[];
  private readonly judge: Judge;
  private readonly odds: Odds;
  private readonly answers: Float64Array[];
  /** How much more thorough than usual. */
  private readonly effort: number;
  /** The drawn particles, by position in the belief. */
  private readonly drawn: Uint32Array;
  private readonly values = new Map<string, { slate: number[]; value: number }>();

  constructor(
    private readonly problem: ItemProblem,
    rows: number[],
  ) {
    const { catalog, belief, response, k, random } = problem;
    this.pool = rows.length <= SMALL_CATALOG ? rows : this.screened();
    this.effort = belief.evidence.length === 0 ? FIRST : 1;
    this.drawn = systematic(belief.weights, Math.min(belief.m, THINNED * Math.min(2, this.effort)), random);
    this.particles = belief.particles.taken(this.drawn);
    this.weights = new Float64Array(this.drawn.length).fill(1 / this.drawn.length);
    this.utilities = this.pool.map((row) => this.particles.ofItem(row, catalog));
    this.judge = new Judge(catalog, this.particles, this.weights, response, k, this.pool);
    this.odds = new Odds(response, this.utilities, this.particles.m);
    this.answers = Array.from({ length: k + response.extras.length }, () => new Float64Array(this.particles.m));
  }

  /** Slates of rows, the best first, by their value on the few particles. */
  found(): number[][] {
    const starts = [this.greedy(), ...this.starts()];
    const next = starts.map((slate) => this.step(slate));
    const order = highest(Float64Array.from(starts, (slate) => this.value(slate)), GOING_ON * this.effort);
    for (const index of order) this.settle(next[index]!);
    for (const slate of this.anchored()) if (!this.values.has(slateName(slate))) this.settle(slate);
    for (const slate of this.ranked().slice(0, EXCHANGING * this.effort)) {
      const exchanged = this.exchanged(slate);
      if (exchanged !== null) this.settle(exchanged);
    }
    return this.ranked().map((slate) => slate.map((place) => this.pool[place]!));
  }

  /** The items that are best for the mean, for random groups of particles and for single ones. */
  private screened(): number[] {
    const { catalog, belief, allowed, random } = this.problem;
    const { particles } = belief;
    const found = new Set(catalog.top(belief.mean, TOP, allowed));
    const favourites = particles.favouritesAmong(catalog, allowed);
    const held = new Map<number, number>();
    favourites.rows.forEach((row, particle) => held.set(row, (held.get(row) ?? 0) + belief.weights[particle]!));
    for (const [row] of [...held].sort((one, other) => other[1] - one[1]).slice(0, FAVOURITES)) found.add(row);
    const weights = new Float64Array(particles.m);
    for (let group = 0; group < GROUPS; group += 1) {
      weights.fill(0);
      for (const particle of systematic(belief.weights, 2 ** (1 + random.below(6)), random)) weights[particle]! += 1;
      for (const row of catalog.top(particles.sum(weights), DEPTH, allowed)) found.add(row);
    }
    return [...found].sort((one, other) => one - other);
  }

  /** From the item of highest expected utility, append what most raises the utility of what is chosen. */
  private greedy(): number[] {
    const slate = [argmax(this.utilities.map((own) => dot(own, this.weights)))];
    while (slate.length < this.problem.k) slate.push(argmax(this.extended(slate)));
    return slate;
  }

  /** For the items that are the best for most of the belief, the slates with the partners that add most. */
  private anchored(): number[][] {
    const held = new Float64Array(this.pool.length);
    const places = new Map(this.pool.map((row, place) => [row, place]));
    const { catalog, belief, allowed, k } = this.problem;
    const favourites = belief.particles.favouritesAmong(catalog, allowed).rows;
    for (const particle of this.drawn) {
      const place = places.get(favourites[particle]!);
      if (place !== undefined) held[place]! += 1;
    }
    const slates: number[][] = [];
    for (const anchor of highest(held, ANCHORS * this.effort)) {
      const slate = [anchor];
      while (slate.length < k - 1) slate.push(argmax(this.extended(slate)));
      for (const partner of highest(this.extended(slate), PARTNERS)) if (!slate.includes(partner)) slates.push([...slate, partner]);
    }
    return slates;
  }

  /** Slates of the best items of random particles; all slates where they are few. */
  private starts(): number[][] {
    if (combinations(this.pool.length, this.problem.k) <= FEW_SLATES) return everySlate(this.pool.length, this.problem.k);
    const { catalog, belief, allowed, k, random } = this.problem;
    const favourites = belief.particles.favouritesAmong(catalog, allowed).rows;
    const places = new Map(this.pool.map((row, place) => [row, place]));
    const slates = new Map<string, number[]>();
    for (let attempt = 0; attempt < STARTS * this.effort; attempt += 1) {
      const slate = new Set<number>();
      for (let index = 0; index < 4 * k && slate.size < k; index += 1) {
        const place = places.get(favourites[this.drawn[random.below(this.drawn.length)]!]!);
        if (place !== undefined) slate.add(place);
      }
      while (slate.size < k) slate.add(random.below(this.pool.length));
      slates.set(slateName([...slate]), [...slate]);
    }
    return [...slates.values()];
  }

  private settle(slate: number[]): void {
    for (let steps = 0; steps < MOST_STEPS && !this.values.has(slateName(slate)); steps += 1) slate = this.step(slate);
  }

  private value(slate: readonly number[]): number {
    return this.values.get(slateName(slate))!.value;
  }

  private ranked(): number[][] {
    return [...this.values.values()].sort((one, other) => other.value - one.value).map((each) => each.slate);
  }

  /** Values a slate, and returns the slate of the best items after each choice. */
  private step(slate: number[]): number[] {
    this.odds.weighted(slate, this.weights, this.answers);
    const after = this.judge.best(this.answers);
    this.values.set(slateName(slate), { slate, value: after.value });
    return distinct(after.scores.slice(0, slate.length));
  }

  /** A slate after exchanging single items while that raises the utility of what is chosen; null if nothing does. */
  private exchanged(start: number[]): number[] | null {
    let slate = [...start];
    for (let exchange = 0; exchange < EXCHANGES; exchange += 1) {
      let gained = -Infinity;
      let next = slate;
      let current = 0;
      for (let slot = 0; slot < slate.length; slot += 1) {
        const others = slate.filter((_, index) => index !== slot);
        const values = this.extended(others);
        if (slot === 0) current = values[slate[0]!]!;
        const place = argmax(values);
        if (values[place]! > gained) {
          gained = values[place]!;
          next = slate.map((own, index) => (index === slot ? place : own));
        }
      }
      if (gained <= current + ROUNDING * Math.abs(current)) return exchange === 0 ? null : slate;
      slate = next;
    }
    return slate;
  }

  /** Expected utility of what is chosen (Eq. 5) from a slate with each item of the pool appended. */
  private extended(slate: readonly number[]): Float64Array {
    const { m } = this.particles;
    const [total, sum] = this.chosenFrom(slate);
    const out = new Float64Array(this.pool.length);
    for (let place = 0; place < out.length; place += 1) {
      const [own, odds] = [this.utilities[place]!, this.odds.of[place]!];
      let worth = 0;
      for (let particle = 0; particle < m; particle += 1) {
        const weight = odds[particle]!;
        worth += (sum[particle]! + weight * own[particle]!) / (total[particle]! + weight);
      }
      out[place] = worth / m;
    }
    for (const place of slate) out[place] = -Infinity;
    return out;
  }

  /** For each particle the odds of a slate, and the utilities of its options times their odds. */
  private chosenFrom(slate: readonly number[]): [total: Float64Array, sum: Float64Array] {
    const { m } = this.particles;
    const [total, sum] = [new Float64Array(m), new Float64Array(m)];
    for (const place of slate) {
      const [own, odds] = [this.utilities[place]!, this.odds.of[place]!];
      for (let particle = 0; particle < m; particle += 1) {
        total[particle]! += odds[particle]!;
        sum[particle]! += odds[particle]! * own[particle]!;
      }
    }
    return [total, sum];
  }
}

/** All slates of k of `count` positions. */
function everySlate(count: number, k: number, from = 0): number[][] {
  if (k === 0) return [[]];
  const slates: number[][] = [];
  for (let first = from; first <= count - k; first += 1) for (const rest of everySlate(count, k - 1, first + 1)) slates.push([first, ...rest]);
  return slates;
}

/** The best position after each choice; where two are the same, the next best for the later one. */
function distinct(scores: readonly Float64Array[]): number[] {
  const taken: number[] = [];
  for (const each of scores) {
    const first = argmax(each);
    taken.push(taken.includes(first) ? highest(each, scores.length).find((place) => !taken.includes(place))! : first);
  }
  return taken;
}
