/** What the library says about conversations, recorded by `tests/publishing`, for the engine to be compared with. */

import type { Contradiction } from "../src/engine/contradictions";
import { World } from "../src/engine/policy";
import { unpacked } from "../src/engine/publication";
import { type Event, Session } from "../src/engine/session";
import type { AskKind } from "../src/engine/publication";
import type { Choice } from "../src/engine/responses";

export interface Case {
  events: Event[];
  weights: number[];
  slates: { items: number[]; evoi: number }[];
  attributes: { items: number[]; evoi: number }[];
  gain: number | null;
  regret: number;
  start_regret: number;
  probability_best: number;
  recommended: Record<string, unknown>[];
  reasons: Record<"en" | "de", [string, string, string | null][][]>;
  stands_for: string[];
  log: Record<string, unknown>[];
  tastes: Record<string, unknown>[];
}

export interface Golden {
  name: string;
  publication: string;
  cases: Case[];
  questions: { ask: AskKind; events: Event[]; evoi: number }[];
  posterior: { events: Event[]; rows: number[]; mean: number[]; spread: number[] };
  contradictions: { events: Event[]; found: Record<"en" | "es", Contradiction[]>; mean: number; spread: number };
  revised: { events: Event[]; answer: string; choice: Choice; log: Record<string, unknown>[]; weights: number[] };
}

/** The recorded files: those beside the tests, and those of the folder that the environment names. */
export async function goldens(): Promise<Golden[]> {
  const beside = import.meta.glob<Omit<Golden, "name">>("./golden/*.json", { eager: true, import: "default" });
  const found = Object.entries(beside).map(([name, golden]) => ({ ...golden, name }));
  const { process } = globalThis as unknown as { process: { env: Record<string, string | undefined> } };
  const folder = process.env["RATHER_GOLDEN"];
  if (folder === undefined) return found;
  const system = "node:fs";
  const files = (await import(/* @vite-ignore */ system)) as {
    readdirSync(path: string): string[];
    readFileSync(path: string, encoding: "utf8"): string;
  };
  const names = files.readdirSync(folder).filter((name) => name.endsWith(".json"));
  return [...found, ...names.map((name) => ({ ...(JSON.parse(files.readFileSync(`${folder}/${name}`, "utf8")) as Golden), name }))];
}

export async function worldOf({ publication }: Golden): Promise<World> {
  const bytes = Uint8Array.from(atob(publication), (letter) => letter.charCodeAt(0));
  return new World(await unpacked(bytes.buffer));
}

/** A conversation after these events. */
export function after(world: World, events: readonly Event[], ask: AskKind = "items", seed = 0): Session {
  const session = new Session(world, { k: 2, ask, seed, questions: null, language: null });
  for (const event of events) session.apply(event);
  return session;
}
