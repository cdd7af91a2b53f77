import ts from "typescript";
import { expect, test } from "vitest";

const SOURCES = import.meta.glob<string>("../src/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
// Attributes that people read or hear.
const READ = new Set(["alt", "aria-label", "aria-description", "placeholder", "title"]);
// The name of the project, which is the same in all languages.
const NAME = /^\s*rather\s*$/;

/** Whether a text is one for people: a word between tags, or a sentence. */
function isSaid(text: string, words: RegExp): boolean {
  return words.test(text) && !NAME.test(text);
}

/** The texts of a source file that are not in the catalogues of messages. */
function untranslated(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isJsxText(node) && isSaid(node.text, /\p{L}{2}/u)) found.push(node.text.trim());
    if (ts.isJsxAttribute(node) && READ.has(node.name.getText()) && node.initializer && ts.isStringLiteral(node.initializer)) {
      if (isSaid(node.initializer.text, /\p{L}/u)) found.push(node.initializer.text);
    } else if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      if (isSaid(node.text, /^[A-Z]\p{Ll}+ \p{L}|\p{L} \p{L}.*[.?!…]\s*$/u)) found.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test.each(Object.entries(SOURCES))("%s says nothing that stands in no catalogue of messages", (path, text) => {
  expect(untranslated(path, text)).toEqual([]);
});

test("the rule finds what people read", () => {
  const text = 'const view = (<p title="Hi">See <b>{ready ? "That is all" : "is-class"}</b> {`Below ${share}, no more.`}</p>);';
  expect(untranslated("example.tsx", text)).toEqual(["Hi", "See", "That is all", ", no more."]);
});
