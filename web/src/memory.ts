/** What must outlast a reload of this tab and nothing longer. A browser that keeps nothing for us loses only that. */

import type { Choice } from "./types";

/** An answer that was given but is not yet known to be stored. */
export interface Pending {
  session: string;
  question: string;
  choice: Choice;
}

interface Kept {
  pending: Pending;
  /** The conversation of an embedded page, whose address the host's reload resets. */
  embedded: string;
  /** The conversation that goes on although it could end. */
  further: string;
  /** "off" when single keys shall do nothing. */
  keys: string;
}

export function keep<K extends keyof Kept>(name: K, value: Kept[K]): void {
  try {
    sessionStorage.setItem(`rather:${name}`, JSON.stringify(value));
  } catch {
    // Storage may be full or forbidden, in a frame above all.
  }
}

export function kept<K extends keyof Kept>(name: K): Kept[K] | null {
  try {
    return JSON.parse(sessionStorage.getItem(`rather:${name}`) ?? "null") as Kept[K] | null;
  } catch {
    return null;
  }
}

export function forget(name: keyof Kept): void {
  try {
    sessionStorage.removeItem(`rather:${name}`);
  } catch {
    // As above.
  }
}
