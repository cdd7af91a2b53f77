/** What is believed about the person: weighted particles, updated by Bayes' rule. */

import type { Allowed, Catalog } from "./catalog";
import type { Choice, Logistic } from "./responses";

/** Utilities of items to all particles are kept while they are no more numbers than this: 32 MB. */
const KEPT_NUMBERS = 8_000_000;

/** The best allowed item of each particle, and what it is worth to it. */
export interface Favourites {
  rows: Uint32Array;
  utilities: Float64Array;
}

/** Utility vectors, dimension by dimension: entry `dim * m + particle`. */
export class Particles {
  readonly m: number;
  private readonly ofItems = new Map<number, Float32Array>();
  private readonly favourites = new Map<Allowed, Favourites>();
  private ofBase: Float64Array | null = null;
  private lengths: Float64Array | null = null;
  private readonly scratch: Float64Array;

  constructor(
    readonly data: Float32Array,
    readonly d: number,
  ) {
    this.m = data.length / d;
    this.scratch = new Float64Array(this.m);
  }

  /** From one particle after the other. */
  static ofRows(rows: Float32Array, d: number): Particles {
    const m = rows.length / d;
    const data = new Float32Array(rows.length);
    for (let particle = 0; particle < m; particle += 1) {
      for (let dim = 0; dim < d; dim += 1) data[dim * m + particle] = rows[particle * d + dim]!;
    }
    return new Particles(data, d);
  }

  /** The utility of a vector to each particle. */
  utilities(vector: ArrayLike<number>): Float64Array {
    const out = new Float64Array(this.m);
    for (let dim = 0; dim < this.d; dim += 1) if (vector[dim] !== 0) this.add(dim, vector[dim]!, out);
    return out;
  }

  /** The utility of an item to each particle. */
  ofItem(row: number, catalog: Catalog): Float32Array {
    const known = this.ofItems.get(row);
    if (known !== undefined) return known;
    this.ofBase ??= this.utilities(catalog.base);
    const found = new Float32Array(this.sparse(this.ofBase, catalog, catalog.starts[row]!, catalog.starts[row + 1]!));
    if ((this.ofItems.size + 1) * this.m <= KEPT_NUMBERS) this.ofItems.set(row, found);
    return found;
  }

  favouritesAmong(catalog: Catalog, allowed: Allowed): Favourites {
    const known = this.favourites.get(allowed);
    if (known !== undefined) return known;
    const rows = new Uint32Array(this.m);
    const utilities = new Float64Array(this.m).fill(-Infinity);
    for (let row = 0; row < catalog.n; row += 1) {
      if (allowed !== null && allowed[row] !== 1) continue;
      const own = this.ofItem(row, catalog);
      for (let particle = 0; particle < this.m; particle += 1) {
        if (own[particle]! > utilities[particle]!) {
          utilities[particle] = own[particle]!;
          rows[particle] = row;
        }
      }
    }
    const found = { rows, utilities };
    this.favourites.set(allowed, found);
    return found;
  }

  /** The weighted sum of all particles. */
  sum(weights: ArrayLike<number>): Float64Array {
    const out = new Float64Array(this.d);
    const { m, data } = this;
    for (let dim = 0; dim < this.d; dim += 1) {
      let total = 0;
      for (let particle = 0, at = dim * m; particle < m; particle += 1, at += 1) total += weights[particle]! * data[at]!;
      out[dim] = total;
    }
    return out;
  }

  /** The Euclidean length of each particle. */
  norms(): Float64Array {
    if (this.lengths !== null) return this.lengths;
    const squares = new Float64Array(this.m);
    for (let dim = 0; dim < this.d; dim += 1) {
      for (let particle = 0; particle < this.m; particle += 1) squares[particle]! += this.data[dim * this.m + particle]! ** 2;
    }
    return (this.lengths = squares.map(Math.sqrt));
  }

  /** These particles, by position. */
  taken(positions: ArrayLike<number>): Particles {
    const count = positions.length;
    const data = new Float32Array(count * this.d);
    for (let dim = 0; dim < this.d; dim += 1) {
      for (let index = 0; index < count; index += 1) data[dim * count + index] = this.data[dim * this.m + positions[index]!]!;
    }
    return new Particles(data, this.d);
  }

  /** A base with entries added, until the next call. Four at a time: the sum is loaded and stored a quarter as often. */
  private sparse(base: Float64Array, { dims, deltas }: Catalog, start: number, end: number): Float64Array {
    const { m, data, scratch: sum } = this;
    sum.set(base);
    let entry = start;
    for (; entry + 3 < end; entry += 4) {
      const [one, two, three, four] = [deltas[entry]!, deltas[entry + 1]!, deltas[entry + 2]!, deltas[entry + 3]!];
      const [a, b, c, d] = [dims[entry]! * m, dims[entry + 1]! * m, dims[entry + 2]! * m, dims[entry + 3]! * m];
      for (let at = 0; at < m; at += 1) sum[at]! += one * data[a + at]! + two * data[b + at]! + three * data[c + at]! + four * data[d + at]!;
    }
    for (; entry < end; entry += 1) this.add(dims[entry]!, deltas[entry]!, sum);
    return sum;
  }

  private add(dim: number, factor: number, out: Float64Array): void {
    const { m, data } = this;
    for (let particle = 0, at = dim * m; particle < m; particle += 1, at += 1) out[particle]! += factor * data[at]!;
  }
}

/** One answer: the vectors of the options one after the other, the row of the answer, and how people answer. */
export interface Evidence {
  vectors: Float32Array[];
  row: number;
  response: Logistic;
}

/** Immutable: an update returns another belief. */
export class Belief {
  readonly weights: Float64Array;
  private center: Float64Array | null = null;

  constructor(
    readonly particles: Particles,
    readonly logWeights: Float64Array,
    readonly evidence: readonly Evidence[] = [],
  ) {
    this.weights = logWeights.map(Math.exp);
  }

  static equal(particles: Particles, evidence: readonly Evidence[]): Belief {
    return new Belief(particles, new Float64Array(particles.m).fill(-Math.log(particles.m)), evidence);
  }

  /** The same particles and weights as if this were all the evidence: where to begin to move them. */
  holding(evidence: readonly Evidence[]): Belief {
    return new Belief(this.particles, this.logWeights, evidence);
  }

  get m(): number {
    return this.particles.m;
  }

  get mean(): Float64Array {
    return (this.center ??= this.particles.sum(this.weights));
  }

  /** How many equally weighted particles these are worth. */
  get effective(): number {
    return 1 / this.weights.reduce((sum, weight) => sum + weight * weight, 0);
  }

  /** The probability of an answer to options with these vectors. */
  probability(vectors: Float32Array[], choice: Exclude<Choice, "skip">, response: Logistic): number {
    const options = vectors.map((vector) => this.particles.utilities(vector));
    const answers = [...vectors, ...response.extras].map(() => new Float64Array(this.m));
    response.probabilities(options, answers);
    const chosen = answers[response.row(choice, vectors.length)]!;
    return chosen.reduce((sum, each, particle) => sum + each * this.weights[particle]!, 0);
  }

  /** Bayes' rule for an answer to options with these vectors. */
  update(vectors: Float32Array[], choice: Exclude<Choice, "skip">, response: Logistic): Belief {
    return this.given({ vectors, row: response.row(choice, vectors.length), response });
  }

  /** Bayes' rule for one piece of evidence. */
  given(evidence: Evidence): Belief {
    const { vectors, row, response } = evidence;
    const k = vectors.length;
    const options = vectors.map((vector) => this.particles.utilities(vector));
    const own = new Float64Array(k);
    const logits = new Float64Array(this.m);
    let most = -Infinity;
    for (let particle = 0; particle < this.m; particle += 1) {
      for (let option = 0; option < k; option += 1) own[option] = options[option]![particle]!;
      logits[particle] = this.logWeights[particle]! + response.logProbability(own, 0, k, row);
      if (logits[particle]! > most) most = logits[particle]!;
    }
    const total = most + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - most), 0));
    return new Belief(this.particles, logits.map((logit) => logit - total), [...this.evidence, evidence]);
  }
}
