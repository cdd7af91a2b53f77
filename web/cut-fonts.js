/*
 * Writes the display cut of Newsreader, which sets the titles, to generated/fonts.
 *
 * The packaged font varies in weight and optical size. Pinning both takes its four files from 461 KB to 76 KB.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import subsetFont from "subset-font";

const DISPLAY_CUT = { opsz: 40, wght: 480 };
const packaged = join(import.meta.dirname, "node_modules/@fontsource-variable/newsreader/files");
const generated = join(import.meta.dirname, "generated/fonts");

mkdirSync(generated, { recursive: true });
for (const subset of ["latin", "latin-ext"]) {
  for (const style of ["normal", "italic"]) {
    const variable = readFileSync(join(packaged, `newsreader-${subset}-opsz-${style}.woff2`));
    const cut = await subsetFont(variable, null, { keepAllGlyphs: true, variationAxes: DISPLAY_CUT, targetFormat: "woff2" });
    writeFileSync(join(generated, `newsreader-${subset}-${style}.woff2`), cut);
  }
}
