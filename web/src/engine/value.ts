/** What a question is worth: EVOI, the expected gain of the best recommendation after its answer (Eq. 3 of the paper). */

import type { Belief, Particles } from "./belief";
import type { Allowed, Catalog } from "./catalog";
import type { Logistic } from "./responses";

/** The best items after each answer: their rows, what the best recommendations are worth together, and the scores. */
export interface After {
  value: number;
  rows: number[];
  scores: Float64Array[];
}

/** Values slates of options while the recommendation comes from certain rows. */
export class Judge {
  private readonly answers: Float64Array[];
  private nowWorth: number | null = null;

  /** @param rows - What may be recommended. */
  constructor(
    readonly catalog: Catalog,
    readonly particles: Particles,
    readonly weights: Float64Array,
    readonly response: Logistic,
    readonly k: number,
    readonly rows: ArrayLike<number>,
  ) {
    const count = k + response.extras.length;
    this.answers = Array.from({ length: count }, () => new Float64Array(particles.m));
  }

  static of(catalog: Catalog, belief: Belief, response: Logistic, k: number, allowed: Allowed): Judge {
    return new Judge(catalog, belief.particles, belief.weights, response, k, catalog.rows(allowed));
  }

  /** The value of recommending now. */
  get now(): number {
    return (this.nowWorth ??= Math.max(...this.scored(this.particles.sum(this.weights))));
  }

  /** EVOI of options with these utilities. */
  evoi(options: readonly ArrayLike<number>[]): number {
    return this.after(options).value - this.now;
  }

  /** Probabilities of each answer times the weights of the particles. They are valid until the next call. */
  weighted(options: readonly ArrayLike<number>[]): Float64Array[] {
    const answers = this.answers.slice(0, options.length + this.response.extras.length);
    this.response.probabilities(options, answers);
    for (const answer of answers) {
      for (let particle = 0; particle < answer.length; particle += 1) answer[particle]! *= this.weights[particle]!;
    }
    return answers;
  }

  after(options: readonly ArrayLike<number>[]): After {
    return this.best(this.weighted(options));
  }

  /** The best items after each answer, for answers that are weighted already. */
  best(weighted: readonly Float64Array[]): After {
    const scores = weighted.map((answer) => this.scored(this.particles.sum(answer)));
    const places = scores.map(argmax);
    const value = scores.reduce((sum, each, answer) => sum + each[places[answer]!]!, 0);
    return { value, rows: places.map((place) => this.rows[place]!), scores };
  }

  /** The scores of the rows for a direction. */
  private scored(direction: Float64Array): Float64Array {
    const { base, starts, dims, deltas } = this.catalog;
    let common = 0;
    for (let dim = 0; dim < base.length; dim += 1) common += base[dim]! * direction[dim]!;
    const out = new Float64Array(this.rows.length);
    for (let place = 0; place < out.length; place += 1) {
      const row = this.rows[place]!;
      let score = common;
      const end = starts[row + 1]!;
      for (let entry = starts[row]!; entry < end; entry += 1) score += deltas[entry]! * direction[dims[entry]!]!;
      out[place] = score;
    }
    return out;
  }
}

/** The position of the first highest number. */
export function argmax(numbers: ArrayLike<number>): number {
  let best = 0;
  for (let index = 1; index < numbers.length; index += 1) if (numbers[index]! > numbers[best]!) best = index;
  return best;
}

/** The sum of products of two rows of numbers. */
export function dot(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += one[index]! * other[index]!;
  return sum;
}

/** How many slates of k of n options there are, whatever their order. */
export function combinations(n: number, k: number): number {
  let count = 1;
  for (let index = 0; index < k; index += 1) count *= (n - index) / (index + 1);
  return Math.round(count);
}
