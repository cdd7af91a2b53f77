/** The texts of the page in the language of the person. A message that a language lacks fails the build. */

import type { ComponentChild } from "preact";
import { de } from "./de";
import { en } from "./en";
import { es } from "./es";
import { fr } from "./fr";

/** A text with `{named}` values, or one for each plural form of its `{count}`. */
export type Template = string | { readonly one: string; readonly other: string };
export type Key = keyof typeof en;
export type Messages = { readonly [K in Key]: (typeof en)[K] extends string ? string : Exclude<Template, string> };

type Names<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Texts<K extends Key> = (typeof en)[K] extends { readonly other: infer Text } ? Text : (typeof en)[K];
type Values<K extends Key, Value> = { readonly [Name in Names<Texts<K>>]: Value };
type Given<K extends Key, Value> = [Names<Texts<K>>] extends [never] ? [] : [values: Values<K, Value>];

export const LANGUAGES: Record<string, Messages> = { en, de, fr, es };

let language = "en";

/** The language of the page. */
export function currentLanguage(): string {
  return language;
}

/** Speak this language from now on, if it is one of ours; what is drawn next is in it. */
export function setLanguage(wanted: string): void {
  const short = wanted.toLowerCase().split("-")[0] ?? "";
  if (!(short in LANGUAGES)) return;
  language = short;
  document.documentElement.lang = short;
}

/** A message with its values filled in. Numbers are written as the language writes them. */
export function t<K extends Key>(key: K, ...given: Given<K, string | number>): string {
  return pieces(key, given[0] ?? {}).join("");
}

/** A message whose values are parts of the page, such as a stressed word. */
export function parts<K extends Key>(key: K, ...given: Given<K, ComponentChild>): ComponentChild[] {
  return pieces<ComponentChild>(key, given[0] ?? {});
}

// From here on nobody reads the digits: 1,087,369,280,520.
const READABLE = 100_000_000;

/** A number as the language writes it; a very large one as a person would: 1.1 trillion. */
export function number(value: number): string {
  if (Math.abs(value) < READABLE) return value.toLocaleString(language);
  return value.toLocaleString(language, { notation: "compact", compactDisplay: "long", maximumSignificantDigits: 2 });
}

/** The same in a few characters: 1.1T, 92M, but 1,200. */
export function shortNumber(value: number): string {
  if (Math.abs(value) < 1_000_000) return number(value);
  return value.toLocaleString(language, { notation: "compact", maximumSignificantDigits: 2 });
}

function pieces<Value>(key: Key, values: Readonly<Record<string, Value>>): (Value | string)[] {
  const template: Template = (LANGUAGES[language] ?? en)[key];
  const text = typeof template === "string" ? template : template[pluralForm(values["count"])];
  return text.split(/\{(\w+)\}/).map((piece, index) => (index % 2 === 0 ? piece : written(values[piece])));
}

function pluralForm(count: unknown): "one" | "other" {
  return new Intl.PluralRules(language).select(Number(count)) === "one" ? "one" : "other";
}

function written<Value>(value: Value | undefined): Value | string {
  return typeof value === "number" ? number(value) : (value ?? "");
}
