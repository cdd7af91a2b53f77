import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { defineConfig, type Plugin } from "vite";

const root = import.meta.dirname;

/** Files that the build is made from, besides the tools that `package-lock.json` names. */
function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : [path];
  });
}

/** Leaves a digest of the sources beside the build, so that a stale build is noticed where there is no Node. */
function builtFrom(): Plugin {
  return {
    name: "built-from",
    apply: "build",
    generateBundle() {
      const digest = createHash("sha256");
      const named = ["src", "public"].flatMap((folder) => sources(join(root, folder)));
      const single = ["cut-fonts.js", "index.html", "not-allowed.html", "not-found.html", "package-lock.json", "vite.config.ts"];
      const files = [...named, ...single.map((name) => join(root, name))];
      const names = files.map((file) => relative(root, file).split(sep).join("/"));
      for (const name of names.sort()) digest.update(`${name}\0`).update(readFileSync(join(root, name))).update("\0");
      this.emitFile({ type: "asset", fileName: "built-from.txt", source: `${digest.digest("hex")}\n` });
    },
  };
}

/** Writes the licences of what the page contains, which are the `dependencies` of package.json. */
function thirdParty(): Plugin {
  const { dependencies } = readJson("package.json") as { dependencies: Record<string, string> };
  const names = Object.keys(dependencies);
  return {
    name: "third-party",
    apply: "build",
    generateBundle() {
      for (const id of this.getModuleIds()) {
        const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
        if (name !== undefined && !names.includes(name)) this.error(`The page contains ${name}, which is not in "dependencies".`);
      }
      const parts = ["The page contains the following works of others.", ...names.map(licence)];
      this.emitFile({ type: "asset", fileName: "third-party.txt", source: parts.join("\n\n") });
    },
  };
}

function licence(name: string): string {
  const folder = join("node_modules", name);
  const { version, homepage } = readJson(join(folder, "package.json")) as { version: string; homepage: string };
  const text = readFileSync(join(root, folder, "LICENSE"), "utf8").trim();
  return `${name} ${version}, ${homepage}\n${"-".repeat(78)}\n\n${text}\n`;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

export default defineConfig({
  plugins: [builtFrom(), thirdParty()],
  build: {
    outDir: "../src/rather/server/static",
    emptyOutDir: true,
    rolldownOptions: { input: { index: "index.html", "not-found": "not-found.html", "not-allowed": "not-allowed.html", engine: "src/engine/worker.ts" } },
    target: "es2022",
    // A `data:` address would need a hole in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { proxy: { "/v1": "http://127.0.0.1:8000" } },
});
