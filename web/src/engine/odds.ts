/** Answers to many slates of the same options: every exponential is computed once, for the option instead of the slate. */

import type { Logistic } from "./responses";

/** Further behind the best option, the odds of any other are 0 for all that matters. */
const LOWEST = -600;

export class Odds {
  /** For each option and particle exp(utility / temperature), relative to the particle's best option. */
  readonly of: Float64Array[];
  private readonly none: Float64Array | null;

  constructor(
    private readonly response: Logistic,
    utilities: readonly ArrayLike<number>[],
    m: number,
  ) {
    const rate = 1 / response.temperature;
    const highest = new Float64Array(m).fill(response.none ?? -Infinity);
    for (const own of utilities) {
      for (let particle = 0; particle < m; particle += 1) if (own[particle]! > highest[particle]!) highest[particle] = own[particle]!;
    }
    const odds = (utility: (particle: number) => number): Float64Array => {
      const out = new Float64Array(m);
      for (let particle = 0; particle < m; particle += 1) out[particle] = Math.exp(Math.max((utility(particle) - highest[particle]!) * rate, LOWEST));
      return out;
    };
    this.of = utilities.map((own) => odds((particle) => own[particle]!));
    const { none } = response;
    this.none = none === null ? null : odds(() => none);
  }

  /** Probabilities of each answer times the weights: the options, then the extra answers.
   *  @param out - Arrays to fill, one for each answer. */
  weighted(slate: readonly number[], weights: Float64Array, out: readonly Float64Array[]): void {
    const k = slate.length;
    const options = slate.map((option) => this.of[option]!);
    const [first, second] = [options[0]!, options[1]!];
    const { tie } = this.response;
    const same = k + (this.none === null ? 0 : 1);
    for (let particle = 0; particle < weights.length; particle += 1) {
      let total = 0;
      let product = 1;
      if (k === 2) {
        total = first[particle]! + second[particle]!;
        product = Math.sqrt(first[particle]! * second[particle]!);
      } else {
        for (const own of options) {
          total += own[particle]!;
          product *= own[particle]! ** (1 / k);
        }
      }
      const none = this.none === null ? 0 : this.none[particle]!;
      const equal = tie === null ? 0 : tie * product;
      const share = weights[particle]! / (total + none + equal);
      for (let option = 0; option < k; option += 1) out[option]![particle] = options[option]![particle]! * share;
      if (this.none !== null) out[k]![particle] = none * share;
      if (tie !== null) out[same]![particle] = equal * share;
    }
  }
}
