/** The file that `rather publish` writes: the catalogue, the belief, and all that is said about them. */

export type Language = string;
/** A text by language; in one that is missing, as in English. A text alone is the same in all. */
export type Told = string | Readonly<Record<Language, string>>;
export type Row = number;
export type ItemId = string | number;

/** Values that many rows share, and the number of each row's value. */
export interface Coded<Value> {
  values: Value[];
  rows: string;
}

export interface AttributeText {
  text: string;
  column: string;
  hasPhrase: boolean;
  label: Told;
  said: Told;
  phrase: Told;
  described: Told;
  another: Told;
  named: Told;
  topic: Told;
  taste: Told;
}

export interface ColumnText {
  name: string;
  names: Told;
  dimensions: [number, number];
  less: Told;
  more: Told;
  attributes: Coded<number[]>;
  below: Coded<number | null>;
  texts: Coded<Told> | null;
}

export interface WishKind {
  column: string;
  toward: "less" | "more";
  usual: boolean;
  said: Told;
}

export interface FilterColumn {
  attribute: string;
  label: Told;
  kind: "number" | "category" | "tags";
  rows: string;
  minimum?: number;
  maximum?: number;
  unit?: string | null;
  values?: [string, number][];
  sets?: number[][];
}

export type AskKind = "items" | "attributes" | "auto";
export type QuestionKind = "items" | "attributes";
/** Rows of a planned question, and what is planned after each answer. */
/** The options of a planned question, what is planned after each answer, and what the options are. */
export type PlanNode = [number[], (PlanNode | null)[], QuestionKind];
type Template = string | Record<string, string>;

export interface Header {
  version: number;
  name: string;
  noun: string;
  nouns: string;
  verb: string;
  hash: string;
  languages: Language[];
  k: number;
  seed: number;
  ask: AskKind;
  response: { temperature: number; none_utility: number | null; tie: number | null };
  startRegret: number;
  stopping: { cost: number | null; regret: number | null; probability: number | null; questions: number | null };
  rejuvenation: { threshold: number; moves: number; max_particles: number } | null;
  hasPrior: boolean;
  log: Record<string, unknown>;
  /** A hash of the attributes, for logs. */
  statements: string;
  plan: PlanNode | null;
  first: { kind: QuestionKind; options: number[]; evoi: number } | null;
  messages: Record<Language, Record<string, Template>>;
  prompts: { items: Told; attributes: Record<Language, [string, string]> };
  items: {
    ids: ItemId[] | null;
    labels: string[];
    links: (string | null)[] | null;
    images: Coded<string[]>;
    facts: { names: Told; values: Told[]; rows: string }[];
  };
  attributes: { asked: number; each: AttributeText[] };
  columns: ColumnText[];
  comparatives: { kinds: WishKind[] };
  filters: FilterColumn[];
  arrays: Record<string, { kind: keyof typeof KINDS; shape: number[]; offset: number }>;
}

const KINDS = { f4: Float32Array, f8: Float64Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array } as const;
type Kinds = typeof KINDS;
export type Numbers = InstanceType<Kinds[keyof Kinds]>;

/** The newest format that this engine reads. */
const VERSION = 1;

export class Publication {
  readonly header: Header;
  private readonly start: number;
  private readonly unpacked = new Map<string, Numbers>();

  /** @param bytes - The file, decompressed. */
  constructor(private readonly bytes: Uint8Array<ArrayBuffer>) {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    this.start = 4 + length;
    this.header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, this.start))) as Header;
    if (this.header.version !== VERSION) throw new Error(`This page was published for another version: ${this.header.version}.`);
  }

  /** The numbers of this name. Wide ones are stored byte by byte: the first byte of all before the second of all. */
  array(name: string): Numbers {
    const known = this.unpacked.get(name);
    if (known !== undefined) return known;
    const entry = this.header.arrays[name];
    if (entry === undefined) throw new Error(`The published file lacks ${name}.`);
    const count = entry.shape.reduce((product, size) => product * size, 1);
    const kind = KINDS[entry.kind];
    const width = kind.BYTES_PER_ELEMENT;
    const out = new Uint8Array(count * width);
    const from = this.bytes.subarray(this.start + entry.offset, this.start + entry.offset + out.length);
    for (let plane = 0; plane < width; plane += 1) {
      for (let index = 0; index < count; index += 1) out[index * width + plane] = from[plane * count + index]!;
    }
    const numbers = new kind(out.buffer);
    this.unpacked.set(name, numbers);
    return numbers;
  }

  floats(name: string): Float32Array {
    return this.array(name) as Float32Array;
  }

  /** The value of a row. */
  coded<Value>(column: Coded<Value>, row: Row): Value {
    return column.values[this.array(column.rows)[row]!]!;
  }
}

/** A text in a language. */
export function told(text: Told, language: Language): string {
  return typeof text === "string" ? text : (text[language] ?? text["en"] ?? "");
}

/** A file as it was published, decompressed. */
export async function unpacked(packed: ArrayBuffer): Promise<Publication> {
  const unpacking = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Publication(new Uint8Array(await new Response(unpacking).arrayBuffer()));
}
