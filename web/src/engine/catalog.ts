/** The items as vectors, stored as what differs from the most common value of each dimension. */

import type { Publication } from "./publication";

/** Which items may be asked about and recommended; null for all. */
export type Allowed = Uint8Array | null;

export class Catalog {
  readonly n: number;
  readonly d: number;
  /** The most common value of each dimension. */
  readonly base: Float64Array;
  /** Where the entries of each item begin, their dimensions, and how much they are above the base. */
  readonly starts: Uint32Array;
  readonly dims: Uint16Array;
  readonly deltas: Float64Array;
  readonly average: Float32Array;

  constructor(
    readonly vectors: Float32Array,
    average: Float32Array,
  ) {
    this.average = average;
    this.d = average.length;
    this.n = vectors.length / this.d;
    this.base = mostCommon(vectors, this.n, this.d);
    this.starts = new Uint32Array(this.n + 1);
    const dims: number[] = [];
    const deltas: number[] = [];
    for (let row = 0; row < this.n; row += 1) {
      for (let dim = 0; dim < this.d; dim += 1) {
        const delta = vectors[row * this.d + dim]! - this.base[dim]!;
        if (delta === 0) continue;
        dims.push(dim);
        deltas.push(delta);
      }
      this.starts[row + 1] = dims.length;
    }
    this.dims = Uint16Array.from(dims);
    this.deltas = Float64Array.from(deltas);
  }

  static of(publication: Publication): Catalog {
    return new Catalog(publication.floats("items"), publication.floats("average"));
  }

  vector(row: number): Float32Array {
    return this.vectors.subarray(row * this.d, (row + 1) * this.d);
  }

  /** The score of every item for a direction. */
  scores(direction: ArrayLike<number>, out: Float64Array = new Float64Array(this.n)): Float64Array {
    let common = 0;
    for (let dim = 0; dim < this.d; dim += 1) common += this.base[dim]! * direction[dim]!;
    const { starts, dims, deltas } = this;
    for (let row = 0; row < this.n; row += 1) {
      let score = common;
      for (let entry = starts[row]!; entry < starts[row + 1]!; entry += 1) score += deltas[entry]! * direction[dims[entry]!]!;
      out[row] = score;
    }
    return out;
  }

  /** The allowed rows with the highest scores for a direction, best first; of equal ones the first. */
  top(direction: ArrayLike<number>, count: number, allowed: Allowed): number[] {
    return highest(this.scores(direction), count, allowed);
  }

  /** The allowed row with the highest score for a direction, and the score. */
  best(direction: ArrayLike<number>, allowed: Allowed, scratch?: Float64Array): [row: number, score: number] {
    const scores = this.scores(direction, scratch);
    let best = -1;
    let score = -Infinity;
    for (let row = 0; row < this.n; row += 1) {
      if (scores[row]! > score && (allowed === null || allowed[row] === 1)) [best, score] = [row, scores[row]!];
    }
    return [best, score];
  }

  available(allowed: Allowed): number {
    return allowed === null ? this.n : allowed.reduce((sum, one) => sum + one, 0);
  }

  rows(allowed: Allowed): number[] {
    const rows: number[] = [];
    for (let row = 0; row < this.n; row += 1) if (allowed === null || allowed[row] === 1) rows.push(row);
    return rows;
  }
}

/** The positions of the highest scores, best first; of equal ones the first. */
export function highest(scores: ArrayLike<number>, count: number, allowed: Allowed = null): number[] {
  const rows: number[] = [];
  for (let row = 0; row < scores.length; row += 1) if (allowed === null || allowed[row] === 1) rows.push(row);
  if (count < 32 && rows.length > 4 * count) return few(scores, count, rows);
  rows.sort((one, other) => scores[other]! - scores[one]! || one - other);
  return rows.slice(0, count);
}

/** The same by inserting: to sort all rows for a handful takes longer. */
function few(scores: ArrayLike<number>, count: number, rows: number[]): number[] {
  const best: number[] = [];
  for (const row of rows) {
    const score = scores[row]!;
    if (best.length === count && score <= scores[best[count - 1]!]!) continue;
    let slot = best.length;
    while (slot > 0 && scores[best[slot - 1]!]! < score) slot -= 1;
    best.splice(slot, 0, row);
    if (best.length > count) best.pop();
  }
  return best;
}

function mostCommon(vectors: Float32Array, n: number, d: number): Float64Array {
  const base = new Float64Array(d);
  for (let dim = 0; dim < d; dim += 1) {
    const counts = new Map<number, number>();
    let most = 0;
    for (let row = 0; row < n; row += 1) {
      const value = vectors[row * d + dim]!;
      const count = (counts.get(value) ?? 0) + 1;
      counts.set(value, count);
      if (count > most) [most, base[dim]] = [count, value];
    }
  }
  return base;
}
