/** Which items to recommend together: the list whose best item is expected to be worth most (see the library's lists). */

import type { Belief, Favourites } from "./belief";
import type { Allowed, Catalog } from "./catalog";
import { argmax, dot } from "./value";

/** Lists are made of the whole catalogue up to this size; else of so many favourites and a few items of highest mean. */
const POOLED_ITEMS = 256;
const TOP_ITEMS = 8;
/** Items that questions are valued on. */
const VALUED_ITEMS = 64;
/** An item is listed if it adds this share of what there is to gain. */
const SLOT_SHARE = 0.01;
/** Lists that are chosen one after the other. */
const MOST_LISTS = 10;
const MOST_ROUNDS = 4;
const ROUNDING = 1e-6;
const PROJECTIONS = 2;

/** Items on a list, at most; of a small catalogue a tenth. */
export function listSize(items: number): number {
  return Math.max(1, Math.min(5, Math.floor(items / 10)));
}

interface Listed {
  rows: number[];
  value: number;
}

/** What a belief recommends. */
export class Recommender {
  readonly size: number;
  readonly available: number;
  readonly favourites: Favourites;
  private readonly lists = new Map<number, number[]>();
  private loss: number | null = null;
  private rowsOfPool: number[] | null = null;

  constructor(
    readonly catalog: Catalog,
    readonly belief: Belief,
    readonly allowed: Allowed,
  ) {
    this.available = catalog.available(allowed);
    this.size = listSize(this.available);
    this.favourites = belief.particles.favouritesAmong(catalog, allowed);
  }

  /** The rows of the first recommendations. */
  listed(count: number): number[] {
    const known = this.lists.get(count) ?? this.ranked(count);
    this.lists.set(count, known);
    return known;
  }

  /** The rows of list after list, each the best of what is left: `count` of them from `offset` on. */
  ranked(count: number, offset = 0): number[] {
    if (this.size === 1) return this.byMean(count, offset, []);
    const total = Math.min(offset + count, this.available);
    const size = Math.min(total, this.size);
    const rows: number[] = [];
    for (let list = 0; list < MOST_LISTS && rows.length < total; list += 1) {
      rows.push(...this.bestList(Math.min(size, this.available - rows.length), rows));
    }
    if (rows.length < total) rows.push(...this.byMean(total - rows.length, 0, rows));
    return rows.slice(offset, total);
  }

  /** What the best list is expected to lose against everybody's own best item. */
  get regret(): number {
    return (this.loss ??= Math.max(0, this.perfect - this.worth(this.listed(this.size), this.belief.weights)));
  }

  /** What the answer to options with these utilities is expected to add to the best list.
   *  @param weighted - For each answer its probability times the weight of each particle. */
  gain(weighted: readonly Float64Array[]): number {
    const all = this.pooled();
    const rows = this.available > POOLED_ITEMS ? all.slice(0, VALUED_ITEMS) : all;
    const pool = this.poolOf(rows);
    const now = pool.best(this.belief.weights, this.size);
    let after = 0;
    for (const weights of weighted) after += Math.max(pool.best(weights, this.size).value, this.worth(now.rows, weights));
    return Math.max(0, after - now.value);
  }

  /** The expected utility of the best of these items. */
  worth(rows: readonly number[], weights: Float64Array): number {
    const utilities = rows.map((row) => this.utilities(row));
    let total = 0;
    for (let particle = 0; particle < weights.length; particle += 1) {
      let best = -Infinity;
      for (const own of utilities) if (own[particle]! > best) best = own[particle]!;
      total += weights[particle]! * best;
    }
    return total;
  }

  utilities(row: number): Float32Array {
    return this.belief.particles.ofItem(row, this.catalog);
  }

  private get perfect(): number {
    return dot(this.favourites.utilities, this.belief.weights);
  }

  private byMean(count: number, offset: number, excluded: readonly number[]): number[] {
    const wanted = Math.min(offset + count + excluded.length, this.available);
    const rows = this.catalog.top(this.belief.mean, wanted, this.allowed).filter((row) => !excluded.includes(row));
    return rows.slice(offset, offset + count);
  }

  private bestList(count: number, excluded: readonly number[]): number[] {
    const left = this.pooled(excluded.length).filter((row) => !excluded.includes(row));
    let found = this.poolOf(left).best(this.belief.weights, count);
    // A search cannot leave items out.
    if (excluded.length === 0 && this.available > POOLED_ITEMS) found = this.projected(found);
    const kept = this.worthASlot(found.rows);
    if (kept.length === found.rows.length) return kept;
    const expected = new Map(left.map((row) => [row, dot(this.utilities(row), this.belief.weights)]));
    for (const row of kept) if (!expected.has(row)) expected.set(row, dot(this.utilities(row), this.belief.weights));
    const others = [...new Set(left)].sort((one, other) => expected.get(other)! - expected.get(one)! || one - other);
    const filled = [...kept, ...others.filter((row) => !kept.includes(row)).slice(0, found.rows.length - kept.length)];
    return filled.sort((one, other) => expected.get(other)! - expected.get(one)!);
  }

  /** A list after exchanges with the best items of the catalogue for the particles that take each of its items. */
  private projected(found: Listed): Listed {
    const { belief, catalog } = this;
    for (let round = 0; round < PROJECTIONS; round += 1) {
      const utilities = found.rows.map((row) => this.utilities(row));
      const shares = found.rows.map(() => new Float64Array(belief.m));
      for (let particle = 0; particle < belief.m; particle += 1) {
        let best = 0;
        for (let slot = 1; slot < utilities.length; slot += 1) if (utilities[slot]![particle]! > utilities[best]![particle]!) best = slot;
        shares[best]![particle] = belief.weights[particle]!;
      }
      const rows = shares.map((share) => catalog.best(belief.particles.sum(share), this.allowed)[0]);
      if (rows.every((row) => found.rows.includes(row))) break;
      const pool = this.poolOf([...found.rows, ...rows]);
      const improved = pool.improved(found.rows, belief.weights);
      if (improved.value <= found.value + ROUNDING * Math.abs(found.value)) break;
      found = improved;
    }
    return found;
  }

  /** The items of a list without those that add hardly anything to the others, one by one. */
  private worthASlot(rows: readonly number[]): number[] {
    const { weights } = this.belief;
    const least = SLOT_SHARE * (this.perfect - this.worth(rows.slice(0, 1), weights));
    let kept = [...rows];
    while (kept.length > 1) {
      const now = this.worth(kept, weights);
      const lost = kept.map((row) => now - this.worth(kept.filter((other) => other !== row), weights));
      const smallest = argmax(lost.map((loss) => -loss));
      if (lost[smallest]! >= least) break;
      kept = kept.filter((_, slot) => slot !== smallest);
    }
    return kept;
  }

  /** The rows that lists are made of. */
  private pooled(more = 0): number[] {
    if (more === 0 && this.rowsOfPool !== null) return this.rowsOfPool;
    const { catalog, belief, allowed } = this;
    let rows = catalog.top(belief.mean, this.available <= POOLED_ITEMS ? this.available : Math.min(this.available, TOP_ITEMS + more), allowed);
    if (this.available > POOLED_ITEMS) rows = [...rows, ...this.mostFrequent(POOLED_ITEMS)];
    if (more === 0) this.rowsOfPool = rows;
    return rows;
  }

  /** The rows that are the best for most of the weight. */
  private mostFrequent(count: number): number[] {
    const held = new Map<number, number>();
    this.favourites.rows.forEach((row, particle) => held.set(row, (held.get(row) ?? 0) + this.belief.weights[particle]!));
    const ordered = [...held].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
    return ordered.slice(0, count).map(([row]) => row);
  }

  private poolOf(rows: readonly number[]): Pool {
    const distinct = [...new Set(rows)].sort((one, other) => one - other);
    return new Pool(distinct, distinct.map((row) => this.utilities(row)));
  }
}

/** The items that lists are made of: rows, ascending, and their utilities. */
class Pool {
  constructor(
    private readonly rows: readonly number[],
    private readonly utilities: readonly Float32Array[],
  ) {}

  /** The list of `count` items for these weights: greedy, then exchanges of single items. */
  best(weights: Float64Array, count: number): Listed {
    const size = Math.min(count, this.rows.length);
    const [picks, bounds] = this.greedy(weights, size);
    return size < this.rows.length ? this.exchanged(picks, weights, true, bounds) : this.list(picks, weights);
  }

  improved(rows: readonly number[], weights: Float64Array): Listed {
    const picks = rows.map((row) => this.rows.indexOf(row));
    return this.exchanged(picks, weights, false, null);
  }

  /** Items taken one by one, each the one that adds most. What an item adds never grows, so most need no second look.
   *  Also what each item adds to the first pick, by position. */
  private greedy(weights: Float64Array, count: number): [picks: number[], toFirst: Float64Array] {
    const m = weights.length;
    let current = new Float64Array(m).fill(-Infinity);
    const picks: number[] = [];
    const added = new Float64Array(this.rows.length).fill(Infinity);
    let toFirst = added;
    let total = 0;
    while (picks.length < count) {
      let best = -1;
      let gain = -Infinity;
      if (picks.length === 2) toFirst = added.slice();
      for (const place of picks.length < 2 ? this.rows.keys() : sortedBy(added)) {
        if (picks.includes(place)) continue;
        if (picks.length >= 2 && added[place]! < gain) break;
        const own = this.joined(current, this.utilities[place]!, weights) - total;
        added[place] = own;
        if (own > gain || (own === gain && place < best)) [best, gain] = [place, own];
      }
      picks.push(best);
      const taken = this.utilities[best]!;
      current = current.map((value, particle) => Math.max(value, taken[particle]!));
      total += gain;
    }
    return [picks, toFirst];
  }

  /** What a list, of these best utilities, is worth with one item more. */
  private joined(current: Float64Array, own: Float32Array, weights: Float64Array): number {
    let total = 0;
    for (let particle = 0; particle < weights.length; particle += 1) {
      const utility = own[particle]!;
      total += weights[particle]! * (utility > current[particle]! ? utility : current[particle]!);
    }
    return total;
  }

  private exchanged(start: readonly number[], weights: Float64Array, lastIsBest: boolean, toFirst: Float64Array | null): Listed {
    const picks = [...start];
    const s = picks.length;
    let value = this.joinedAll(picks, weights);
    let enough = value + ROUNDING * Math.abs(value);
    let left = lastIsBest ? 0 : -1;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      for (let slot = 0; slot < s; slot += 1) {
        if (left === s - 1) return this.list(picks, weights);
        const others = this.together(picks.filter((_, index) => index !== slot), weights.length);
        const base = dot(others, weights);
        // No item adds more to several picks than to the first of them.
        const bounds = slot > 0 && picks[0] === start[0] ? toFirst : null;
        let best = -1;
        let most = -Infinity;
        for (let place = 0; place < this.rows.length; place += 1) {
          if (picks.includes(place) || (bounds !== null && base + bounds[place]! < Math.max(most, enough))) continue;
          value = this.joined(others, this.utilities[place]!, weights);
          if (value > most) [best, most] = [place, value];
        }
        left += 1;
        if (most > enough) {
          left = 0;
          picks[slot] = best;
          enough = most + ROUNDING * Math.abs(most);
        }
      }
    }
    return this.list(picks, weights);
  }

  private together(picks: readonly number[], m: number): Float64Array {
    const out = new Float64Array(m).fill(-Infinity);
    for (const place of picks) {
      const own = this.utilities[place]!;
      for (let particle = 0; particle < m; particle += 1) if (own[particle]! > out[particle]!) out[particle] = own[particle]!;
    }
    return out;
  }

  private joinedAll(picks: readonly number[], weights: Float64Array): number {
    return dot(this.together(picks, weights.length), weights);
  }

  /** The rows in the order of their expected utility, and what they are worth together. */
  private list(picks: readonly number[], weights: Float64Array): Listed {
    const expected = new Map(picks.map((place) => [place, dot(this.utilities[place]!, weights)]));
    const ordered = [...picks].sort((one, other) => expected.get(other)! - expected.get(one)!);
    return { rows: ordered.map((place) => this.rows[place]!), value: this.joinedAll(picks, weights) };
  }
}

/** Positions by their numbers, the highest first. */
function sortedBy(numbers: Float64Array): number[] {
  return Array.from(numbers.keys()).sort((one, other) => numbers[other]! - numbers[one]! || one - other);
}
