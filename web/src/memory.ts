/** What must outlast a reload of this tab and nothing longer. A browser that keeps nothing for us loses only that. */

import type { Choice } from "./types";

interface Kept {
  /** Of a session: an answer that was given but is not yet known to be stored. */
  pending: { question: string; choice: Choice };
  /** Of a session: it goes on although it could end. */
  further: true;
  /** Of a catalogue: the session about it in an embedded page, whose address the host's reload resets. */
  embedded: string;
  /** Of everything: "off" when single keys shall do nothing. */
  keys: "on" | "off";
}

/** Remember something of somebody. */
export function keep<K extends keyof Kept>(name: K, owner: string, value: Kept[K]): void {
  try {
    sessionStorage.setItem(`rather:${name}:${owner}`, JSON.stringify(value));
  } catch {
    // Storage may be full or forbidden, in a frame above all.
  }
}

export function kept<K extends keyof Kept>(name: K, owner: string): Kept[K] | null {
  try {
    return JSON.parse(sessionStorage.getItem(`rather:${name}:${owner}`) ?? "null") as Kept[K] | null;
  } catch {
    return null;
  }
}

export function forget(name: keyof Kept, owner: string): void {
  try {
    sessionStorage.removeItem(`rather:${name}:${owner}`);
  } catch {
    // As above.
  }
}
