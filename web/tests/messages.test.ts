import { afterEach, expect, test, vi } from "vitest";
import { LANGUAGES, number, parts, setLanguage, t, type Key, type Template } from "../src/messages";
import { en } from "../src/messages/en";
import { joined, percent } from "../src/words";

vi.stubGlobal("document", { documentElement: { lang: "" } });
afterEach(() => setLanguage("en"));

// Values that only English has a place for: what the catalogue calls its items.
const OPTIONAL = new Set(["nouns"]);

function names(template: Template): Set<string> {
  const texts = typeof template === "string" ? [template] : Object.values(template);
  return new Set(texts.flatMap((text) => [...text.matchAll(/\{(\w*)\}/g)].map(([, name]) => name ?? "")).filter((name) => !OPTIONAL.has(name)));
}

const keys = Object.keys(en) as Key[];

test.each(["de", "fr", "es"])("%s has the messages of English with the same values, and no others", (language) => {
  const messages = LANGUAGES[language]!;
  expect(Object.keys(messages).sort()).toEqual([...keys].sort());
  for (const key of keys) expect(names(messages[key]), key).toEqual(names(en[key]));
});

test.each(["de", "fr", "es"])("no sentence stands in English among those of %s", (language) => {
  const sentences = keys.filter((key) => /[a-z]{3,} [a-z]{2,}/.test(JSON.stringify(en[key])));
  for (const key of sentences) expect(LANGUAGES[language]![key], key).not.toEqual(en[key]);
});

test("values are filled in, and numbers written as the language writes them", () => {
  expect(t("results.odds.you", { share: "7%", count: 12500, nouns: "films" })).toBe("7% chance of being the best of 12,500 films for you");
  setLanguage("de-AT");
  expect(t("chooser.count", { count: 12500, nouns: "films" })).toBe("12.500 zur Auswahl");
  expect([number(1234567), percent(0.5), percent(0.001)]).toEqual(["1.234.567", "50\u00a0%", "<1\u00a0%"]);
  expect(joined(["a", "b", "c"], "or")).toBe("a, b oder c");
  expect(document.documentElement.lang).toBe("de");
});

test("plurals have the form of the language", () => {
  expect(t("answers.count", { count: 0 })).toBe("0 answers");
  setLanguage("fr");
  expect(t("answers.count", { count: 0 })).toBe("0 réponse");
  expect(t("answers.count", { count: 2 })).toBe("2 réponses");
});

test("values can be parts of the page", () => {
  expect(parts("regret.share", { share: null })).toEqual(["", "", " still to gain"]);
});

test("a language that we do not speak changes nothing", () => {
  setLanguage("fr");
  setLanguage("pt");
  expect(t("share.copied")).toBe("Copié");
});
