/** What the engine says, in a language. The templates are the library's, and come with the published file. */

import { type Language, type Publication, type Told, told } from "./publication";

export class Texts {
  constructor(
    readonly publication: Publication,
    readonly language: Language,
  ) {}

  /** A message with its values filled in; of a plural, the form that fits `count`. */
  message(key: string, values: Record<string, string | number> = {}): string {
    const { messages } = this.publication.header;
    const template = messages[this.language]?.[key] ?? messages["en"]?.[key];
    if (template === undefined) throw new Error(`The published file lacks the message ${key}.`);
    const text = typeof template === "string" ? template : (template[this.pluralForm(values["count"])] ?? template["other"] ?? "");
    return text.replace(/\{(\w+)\}/g, (_, name: string) => this.written(values[name]));
  }

  told(text: Told): string {
    return told(text, this.language);
  }

  /** A number as Python writes it, with the decimal point of the language. */
  decimal(number: string): string {
    return this.language === "en" ? number : number.replace(".", ",");
  }

  /** A small number as a word. */
  count(count: number): string {
    return this.message("list.numbers").split(" ")[count] ?? String(count);
  }

  /** Options as a person lists them: "a, b or c"; in Spanish the last word changes before an o. */
  either(options: readonly string[]): string {
    const spanish = this.language === "es" && /^[^\p{L}\p{N}_]*h?[oó]/iu.test(options.at(-1) ?? "");
    return listed(options, spanish ? " u " : this.message("list.or"));
  }

  /** "a, b and c"; in Spanish the last word changes before an i. */
  joined(parts: readonly string[]): string {
    const spanish = this.language === "es" && /^[^\p{L}\p{N}_]*h?[iíy](?![aeo])/iu.test(parts.at(-1) ?? "");
    return listed(parts, spanish ? " e " : this.message("list.and"));
  }

  private pluralForm(count: string | number | undefined): string {
    return new Intl.PluralRules(this.language).select(Number(count));
  }

  private written(value: string | number | undefined): string {
    return typeof value === "number" ? value.toLocaleString(this.language) : (value ?? "");
  }
}

function listed(parts: readonly string[], conjunction: string): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : parts.slice(0, -1).join(", ") + conjunction + last;
}

/** A number with three significant digits, as Python's `.3g` writes it. */
export function threeDigits(value: number): string {
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1000)) {
    const [digits = "", exponent = ""] = value.toExponential(2).split("e");
    const plain = digits.replace(/\.?0+$/, "");
    return `${plain}e${exponent.startsWith("-") ? "-" : "+"}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
  }
  return String(Number(value.toPrecision(3)));
}
