/** New particles when few of the old ones carry weight: resampling, then elliptical slice steps (see the library). */

import { Belief, Particles, type Evidence } from "./belief";
import { Random, systematic } from "./random";

/** Slice steps from one draw of the components to the next. */
const STEPS_PER_COMPONENT = 5;
/** Angles that are tried; a particle for which none is on the slice stays where it is. */
const TRIES = 12;

/** A mixture of Gaussians of one shape. */
export class Prior {
  readonly c: number;
  readonly origin: Float64Array;
  /** Centres in coordinates in which each component is round, one after the other. */
  readonly white: Float64Array;
  /** For each row of the Cholesky factor the columns that are not 0. */
  private readonly filled: Uint16Array[];

  constructor(
    readonly d: number,
    centres: Float32Array,
    private readonly logWeights: Float32Array,
    readonly cholesky: Float32Array,
    readonly scales: Float32Array,
  ) {
    this.c = logWeights.length;
    this.filled = Array.from({ length: d }, (_, row) => {
      const columns = Array.from({ length: row + 1 }, (_unused, column) => column);
      return Uint16Array.from(columns.filter((column) => cholesky[row * d + column] !== 0));
    });
    this.origin = new Float64Array(d);
    for (let index = 0; index < centres.length; index += 1) this.origin[index % d]! += centres[index]! / this.c;
    this.white = new Float64Array(centres.length);
    for (let each = 0; each < this.c; each += 1) {
      for (let row = 0; row < d; row += 1) {
        let rest = centres[each * d + row]! - this.origin[row]!;
        for (const column of this.filled[row]!) if (column < row) rest -= cholesky[row * d + column]! * this.white[each * d + column]!;
        this.white[each * d + row] = rest / cholesky[row * d + row]!;
      }
    }
  }

  /** Particles in white coordinates, dimension by dimension. */
  whitened(particles: Particles): Float32Array {
    const { d } = this;
    const { m, data } = particles;
    const out = new Float32Array(data.length);
    const rest = new Float64Array(m);
    for (let row = 0; row < d; row += 1) {
      for (let particle = 0; particle < m; particle += 1) rest[particle] = data[row * m + particle]! - this.origin[row]!;
      for (const column of this.filled[row]!) {
        if (column === row) continue;
        const factor = this.cholesky[row * d + column]!;
        for (let particle = 0; particle < m; particle += 1) rest[particle]! -= factor * out[column * m + particle]!;
      }
      const pivot = this.cholesky[row * d + row]!;
      for (let particle = 0; particle < m; particle += 1) out[row * m + particle] = rest[particle]! / pivot;
    }
    return out;
  }

  unwhitened(white: Float32Array, m: number): Particles {
    const { d } = this;
    const out = new Float32Array(white.length);
    const sum = new Float64Array(m);
    for (let row = 0; row < d; row += 1) {
      sum.fill(this.origin[row]!);
      for (const column of this.filled[row]!) {
        const factor = this.cholesky[row * d + column]!;
        for (let particle = 0; particle < m; particle += 1) sum[particle]! += factor * white[column * m + particle]!;
      }
      out.set(sum, row * m);
    }
    return new Particles(out, d);
  }

  /** How a vector weighs white coordinates: `vector @ cholesky`. */
  slope(vector: Float32Array): Float64Array {
    const out = new Float64Array(this.d);
    for (let row = 0; row < this.d; row += 1) {
      if (vector[row] === 0) continue;
      for (const column of this.filled[row]!) out[column]! += vector[row]! * this.cholesky[row * this.d + column]!;
    }
    return out;
  }

  /** One component for each particle, drawn by its posterior odds. */
  components(white: Float32Array, m: number, random: Random): Uint16Array {
    const drawn = new Uint16Array(m);
    if (this.c === 1) return drawn;
    const constants = Array.from(this.logWeights, (weight, each) => weight - this.d * Math.log(this.scales[each]!));
    const odds = new Float64Array(this.c);
    for (let particle = 0; particle < m; particle += 1) {
      let highest = -Infinity;
      for (let each = 0; each < this.c; each += 1) {
        let square = 0;
        for (let dim = 0; dim < this.d; dim += 1) square += (white[dim * m + particle]! - this.white[each * this.d + dim]!) ** 2;
        odds[each] = constants[each]! - square / (2 * this.scales[each]! ** 2);
        if (odds[each]! > highest) highest = odds[each]!;
      }
      let total = 0;
      for (let each = 0; each < this.c; each += 1) total += odds[each] = Math.exp(odds[each]! - highest);
      let left = random.uniform() * total;
      let component = 0;
      while (component < this.c - 1 && (left -= odds[component]!) > 0) component += 1;
      drawn[particle] = component;
    }
    return drawn;
  }
}

export interface RejuvenationSettings {
  threshold: number;
  moves: number;
  max_particles: number;
}

/** The belief with new, equally weighted particles; as it is while it is healthy. */
export function rejuvenated(belief: Belief, prior: Prior, settings: RejuvenationSettings, random: Random): Belief {
  const count = Math.min(belief.m, settings.max_particles);
  if (belief.effective >= settings.threshold * count) return belief;
  const moves = Math.min(settings.moves, Math.ceil(count / belief.effective));
  return moved(belief, prior, count, moves, random);
}

/** The belief with `count` equally weighted particles that have made some steps. */
export function moved(belief: Belief, prior: Prior, count: number, moves: number, random: Random): Belief {
  const copies = belief.particles.taken(systematic(belief.weights, count, random));
  return Belief.equal(walked(copies, prior, belief.evidence, moves, random), belief.evidence);
}

function walked(copies: Particles, prior: Prior, evidence: readonly Evidence[], moves: number, random: Random): Particles {
  const { m, d } = copies;
  const white = prior.whitened(copies);
  const vectors = evidence.flatMap((each) => each.vectors);
  const slopes = vectors.map((vector) => prior.slope(vector));
  const options = slopes.length;
  const now = vectors.map((vector) => copies.utilities(vector));
  const ofCentres = slopes.map((slope, option) => centred(slope, vectors[option]!, prior));
  const ofNoise = slopes.map(() => new Float64Array(m));
  const noise = new Float32Array(m * d);
  const likelihood = new Likelihood(evidence, options);
  const own = new Float64Array(options);
  let components = new Uint16Array(m);
  for (let move = 0; move < moves; move += 1) {
    if (move % STEPS_PER_COMPONENT === 0) components = prior.components(white, m, random) as Uint16Array<ArrayBuffer>;
    random.normals(noise);
    for (let option = 0; option < options; option += 1) weighed(slopes[option]!, noise, m, ofNoise[option]!);
    for (let particle = 0; particle < m; particle += 1) {
      const component = components[particle]!;
      const scale = prior.scales[component]!;
      for (let option = 0; option < options; option += 1) own[option] = now[option]![particle]!;
      const level = likelihood.of(own) + Math.log(random.uniform());
      let angle = random.uniform() * 2 * Math.PI;
      let [low, high] = [angle - 2 * Math.PI, angle];
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
        for (let option = 0; option < options; option += 1) {
          const centre = ofCentres[option]![component]!;
          own[option] = centre + (now[option]![particle]! - centre) * cosine + scale * ofNoise[option]![particle]! * sine;
        }
        if (likelihood.of(own, level) >= level) {
          for (let option = 0; option < options; option += 1) now[option]![particle] = own[option]!;
          for (let dim = 0, at = particle; dim < d; dim += 1, at += m) {
            const centre = prior.white[component * d + dim]!;
            white[at] = centre + (white[at]! - centre) * cosine + noise[at]! * scale * sine;
          }
          break;
        }
        if (angle < 0) low = angle;
        else high = angle;
        angle = low + (high - low) * random.uniform();
      }
    }
  }
  return prior.unwhitened(white, m);
}

/** The log-probability of all answers, from the utilities of all their options to one person. */
class Likelihood {
  private readonly firsts: number[];

  constructor(
    private readonly evidence: readonly Evidence[],
    options: number,
  ) {
    let first = 0;
    this.firsts = evidence.map((each) => (first += each.vectors.length) - each.vectors.length);
    if (first !== options) throw new Error("Every option belongs to an answer.");
  }

  /** @param least - What is certain to end below this need not be summed up: no probability is above 1. */
  of(utilities: Float64Array, least = -Infinity): number {
    let total = 0;
    // From the last answer, which the particles were not chosen for: it rejects most of what is rejected.
    for (let index = this.evidence.length - 1; index >= 0 && total >= least; index -= 1) {
      const { vectors, row, response } = this.evidence[index]!;
      total += response.logProbability(utilities, this.firsts[index]!, vectors.length, row);
    }
    return total;
  }
}

/** The utility of an option at each centre of the prior. */
function centred(slope: Float64Array, vector: Float32Array, prior: Prior): Float64Array {
  let constant = 0;
  for (let dim = 0; dim < prior.d; dim += 1) constant += vector[dim]! * prior.origin[dim]!;
  return Float64Array.from({ length: prior.c }, (_, each) => {
    let sum = constant;
    for (let dim = 0; dim < prior.d; dim += 1) sum += slope[dim]! * prior.white[each * prior.d + dim]!;
    return sum;
  });
}

function weighed(slope: Float64Array, noise: Float32Array, m: number, out: Float64Array): void {
  out.fill(0);
  for (let dim = 0; dim < slope.length; dim += 1) {
    const factor = slope[dim]!;
    if (factor === 0) continue;
    for (let particle = 0, at = dim * m; particle < m; particle += 1, at += 1) out[particle]! += factor * noise[at]!;
  }
}
