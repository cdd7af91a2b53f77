import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { defineConfig, type Plugin } from "vite";

const root = import.meta.dirname;

/** Files that the build is made from, besides the tools that `package-lock.json` names. */
function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : [path];
  });
}

/** Removes what an earlier build left: the names change with the content. */
function clearAssets(): Plugin {
  let assets = "";
  return {
    name: "clear-assets",
    apply: "build",
    configResolved: (config) => {
      assets = resolve(root, config.build.outDir, config.build.assetsDir);
    },
    buildStart: () => rmSync(assets, { recursive: true, force: true }),
  };
}

/** Leaves a digest of the sources beside the build, so that a stale build is noticed where there is no Node. */
function builtFrom(): Plugin {
  return {
    name: "built-from",
    apply: "build",
    generateBundle() {
      const digest = createHash("sha256");
      const named = ["src", "public", "fonts"].flatMap((folder) => sources(join(root, folder)));
      const files = [...named, ...["index.html", "package-lock.json", "vite.config.ts"].map((name) => join(root, name))];
      const names = files.map((file) => relative(root, file).split(sep).join("/")).filter((name) => name !== "src/schema.d.ts");
      for (const name of names.sort()) digest.update(`${name}\0`).update(readFileSync(join(root, name))).update("\0");
      this.emitFile({ type: "asset", fileName: "built-from.txt", source: `${digest.digest("hex")}\n` });
    },
  };
}

export default defineConfig({
  plugins: [clearAssets(), builtFrom()],
  build: {
    outDir: "../src/rather/server/static",
    // The documentation of the API lives there too.
    emptyOutDir: false,
    target: "es2022",
    // A `data:` address would need a hole in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { proxy: { "/v1": "http://127.0.0.1:8000" } },
});
