/** Random numbers from a seed and a name, the same on every device. */

/** A generator for one purpose: `new Random(seed, "ask", 3)`. The generator is sfc32. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(...path: (string | number)[]) {
    const text = path.join("/");
    [this.a, this.b, this.c] = [hash(text, 1), hash(text, 2), hash(text, 3)];
    for (let round = 0; round < 12; round += 1) this.bits();
  }

  /** 32 random bits, as a whole number from 0 on. */
  bits(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** A number in (0, 1): never 0, whose logarithm is not finite. */
  uniform(): number {
    return (this.bits() + 0.5) / 4294967296;
  }

  /** A whole number from 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.uniform() * count);
  }

  /** Fills an array with draws from the standard normal distribution (the polar method, two at a time). */
  normals(out: Float32Array): void {
    for (let index = 0; index < out.length; index += 2) {
      let x: number, y: number, square: number;
      do {
        x = this.bits() / 2147483648 - 1;
        y = this.bits() / 2147483648 - 1;
        square = x * x + y * y;
      } while (square >= 1 || square === 0);
      const scale = Math.sqrt((-2 * Math.log(square)) / square);
      out[index] = x * scale;
      if (index + 1 < out.length) out[index + 1] = y * scale;
    }
  }
}

/** Draws `count` positions in proportion to the weights with one shared offset: each as often as it should, or nearly. */
export function systematic(weights: Float64Array, count: number, random: Random): Uint32Array {
  let total = 0;
  for (const weight of weights) total += weight;
  const offset = random.uniform();
  const drawn = new Uint32Array(count);
  let position = 0;
  let reached = weights[0]!;
  for (let index = 0; index < count; index += 1) {
    const wanted = ((index + offset) / count) * total;
    while (reached <= wanted && position < weights.length - 1) {
      position += 1;
      reached += weights[position]!;
    }
    drawn[index] = position;
  }
  return drawn;
}

/** 32 bits of a text (FNV-1a, finished like MurmurHash3). */
function hash(text: string, salt: number): number {
  let value = 0x811c9dc5 ^ salt;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) | 0;
}
