/** How a person with known utilities answers: softmax choice, with "none of these" and "about the same" if offered. */

export type Choice = number | "none" | "same" | "skip";

/** Below this, an exponential would be subnormal or 0. */
const LOWEST = -80;

export class Logistic {
  private readonly rate: number;
  private readonly logTie: number;

  /** @param none - Utility of the outside option; null where it is not offered.
   *  @param tie - Weight of a tie between equals; null where it is not offered. */
  constructor(
    readonly temperature: number,
    readonly none: number | null = null,
    readonly tie: number | null = null,
  ) {
    this.rate = 1 / temperature;
    this.logTie = tie === null ? 0 : Math.log(tie);
  }

  get extras(): ("none" | "same")[] {
    return [...(this.none === null ? [] : (["none"] as const)), ...(this.tie === null ? [] : (["same"] as const))];
  }

  /** The row of an answer to a slate of k among all answers. */
  row(choice: Exclude<Choice, "skip">, k: number): number {
    return typeof choice === "number" ? choice : k + this.extras.indexOf(choice);
  }

  /** Probabilities of each answer for each particle, from the utilities of k options: the options, then the extras.
   *  @param out - Arrays to fill, one for each answer. */
  probabilities(options: readonly ArrayLike<number>[], out: Float64Array[]): void {
    const k = options.length;
    const m = out[0]!.length;
    const { rate } = this;
    const none = this.none === null ? 0 : this.none * rate;
    const tie = this.logTie;
    const same = k + (this.none === null ? 0 : 1);
    for (let particle = 0; particle < m; particle += 1) {
      let highest = this.none === null ? -Infinity : none;
      let mean = 0;
      for (let option = 0; option < k; option += 1) {
        const logit = options[option]![particle]! * rate;
        out[option]![particle] = logit;
        mean += logit;
        if (logit > highest) highest = logit;
      }
      let total = 0;
      for (let option = 0; option < k; option += 1) {
        const weight = Math.exp(Math.max(out[option]![particle]! - highest, LOWEST));
        out[option]![particle] = weight;
        total += weight;
      }
      if (this.none !== null) total += out[k]![particle] = Math.exp(Math.max(none - highest, LOWEST));
      if (this.tie !== null) total += out[same]![particle] = Math.exp(Math.max(mean / k + tie - highest, LOWEST));
      for (const answer of out) answer[particle]! /= total;
    }
  }

  /** Log-probability of one answer from the utilities of the options to one person.
   *  @param first - Where the k utilities begin. */
  logProbability(utilities: Float64Array, first: number, k: number, row: number): number {
    const { rate, none, tie } = this;
    let highest = none === null ? -Infinity : none * rate;
    let mean = 0;
    for (let option = 0; option < k; option += 1) {
      const logit = utilities[first + option]! * rate;
      mean += logit;
      if (logit > highest) highest = logit;
    }
    const same = mean / k + this.logTie;
    if (tie !== null && same > highest) highest = same;
    let total = 0;
    for (let option = 0; option < k; option += 1) total += Math.exp(utilities[first + option]! * rate - highest);
    if (none !== null) total += Math.exp(none * rate - highest);
    if (tie !== null) total += Math.exp(same - highest);
    const own = row < k ? utilities[first + row]! * rate : row === k && none !== null ? none * rate : same;
    return own - highest - Math.log(total);
  }
}
