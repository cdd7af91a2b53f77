/** Bodies as the server sends them, as far as the logic of the page reads them. */

import type { History, Session } from "../src/types";

/** A session with an open question of two options. */
export function session(changes: Partial<Session> = {}): Session {
  const answers = changes.answers ?? 0;
  const version = changes.version ?? answers;
  return {
    id: "one",
    share: "share-one",
    catalog: "films",
    filters: [],
    where: null,
    version,
    language: "en",
    answers,
    last_answer: answers > 0 ? `a${answers}` : null,
    question: { id: `${answers + 1}-${version}`, number: answers + 1, options: [], answers: [0, 1, "none", "same", "skip"] },
    stop: null,
    stop_reason: null,
    start_regret: 1,
    expected_regret: 1 / (1 + answers),
    recommendations: [],
    catalog_changes: [],
    ...changes,
  } as unknown as Session;
}

/** A history whose expected regrets after each answer are these. */
export function history(start: number, regrets: number[], stopsAt = 0.1): History {
  const turns = regrets.map((expected_regret, index) => ({ answer: `a${index + 1}`, undone: false, expected_regret }));
  return { start_regret: start, stops_at: stopsAt, turns } as unknown as History;
}

export const PROBLEM = { type: "", title: "", status: 0, detail: "It says why.", action: "" };
