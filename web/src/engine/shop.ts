/** What can be shown and said of the items of the catalogue. */

import type { Allowed } from "./catalog";
import type { ColumnText, ItemId, Publication, WishKind } from "./publication";
import type { Texts } from "./texts";
import type { Filter } from "../types";

/** One way in which an item may be wished otherwise, and what it adds to the item's vector. */
export interface Wish {
  kind: WishKind;
  dims: Uint32Array;
  amounts: Float32Array;
}

export class Shop {
  private readonly rowsById = new Map<ItemId, number>();
  private readonly wishStarts: Uint32Array;

  constructor(readonly publication: Publication) {
    const { labels } = publication.header.items;
    labels.forEach((_, row) => this.rowsById.set(this.id(row), row));
    const counts = publication.array("wish counts");
    this.wishStarts = new Uint32Array(counts.length + 1);
    counts.forEach((count, row) => (this.wishStarts[row + 1] = this.wishStarts[row]! + count));
  }

  id(row: number): ItemId {
    return this.publication.header.items.ids?.[row] ?? row;
  }

  find(id: unknown): number | undefined {
    return this.rowsById.get(id as ItemId);
  }

  label(row: number): string {
    return this.publication.header.items.labels[row] ?? "";
  }

  link(row: number): string | null {
    return this.publication.header.items.links?.[row] ?? null;
  }

  images(row: number): string[] {
    return this.publication.coded(this.publication.header.items.images, row);
  }

  /** The facts of an item in the order in which they are shown. */
  facts(row: number, texts: Texts): [name: string, value: string][] {
    return this.publication.header.items.facts.flatMap(({ names, values, rows }) => {
      const number = this.publication.array(rows)[row]!;
      return number === 0 ? [] : [[texts.told(names), texts.told(values[number - 1]!)] as [string, string]];
    });
  }

  /** Which attributes are said of an item, by column. */
  attributes(column: ColumnText, row: number): number[] {
    return this.publication.coded(column.attributes, row);
  }

  /** The share of items that have less of a column; null where it has no order, or is unknown. */
  below(column: ColumnText, row: number): number | null {
    return this.publication.coded(column.below, row);
  }

  wishes(row: number): Wish[] {
    const { publication } = this;
    const { kinds } = publication.header.comparatives;
    const [ofKind, ofStep] = [publication.array("wish kinds"), publication.array("wish steps")];
    const ends = publication.array("wish ends");
    const dims = publication.array("wish dims") as Uint32Array;
    const amounts = publication.floats("wish amounts");
    const found: Wish[] = [];
    for (let index = this.wishStarts[row]!; index < this.wishStarts[row + 1]!; index += 1) {
      const step = ofStep[index]!;
      const [start, end] = [step === 0 ? 0 : ends[step - 1]!, ends[step]!];
      found.push({ kind: kinds[ofKind[index]!]!, dims: dims.subarray(start, end), amounts: amounts.subarray(start, end) });
    }
    return found;
  }

  /** The items that pass all filters; null when there are none. Throws a text for a filter that does not exist. */
  matching(filters: readonly Filter[]): Allowed {
    if (filters.length === 0) return null;
    const allowed = new Uint8Array(this.publication.header.items.labels.length).fill(1);
    for (const filter of filters) this.apply(filter, allowed);
    return allowed;
  }

  private apply(filter: Filter, allowed: Uint8Array): void {
    const column = this.publication.header.filters.find(({ attribute }) => attribute === filter.attribute);
    if (column === undefined) throw new Error(`No filter is called '${filter.attribute}'.`);
    const rows = this.publication.array(column.rows);
    const { minimum, maximum, any_of: anyOf } = filter;
    if (column.kind === "number") {
      const [low, high] = [minimum ?? -Infinity, maximum ?? Infinity];
      for (let row = 0; row < allowed.length; row += 1) if (!(rows[row]! >= low && rows[row]! <= high)) allowed[row] = 0;
      return;
    }
    const wanted = new Set((anyOf ?? []).map((value) => column.values?.findIndex(([own]) => own === value)));
    for (let row = 0; row < allowed.length; row += 1) if (!column.sets?.[rows[row]!]?.some((place) => wanted.has(place))) allowed[row] = 0;
  }
}
