/** What must survive a reload of this tab, and no longer. Where a browser stores nothing, only that is lost. */

import type { Choice } from "./types";

interface Stored {
  /** By session: an answer that was given, until the server is known to have stored it. */
  pending: { question: string; choice: Choice };
  /** By session: the person goes on answering although it could end. */
  continued: true;
  /** By the settings of the address: the session in an embedded page, whose address the host resets when it reloads. */
  embedded: string;
  /** By nothing (""): whether single keys answer. */
  keys: "on" | "off";
}

export function store<K extends keyof Stored>(name: K, owner: string, value: Stored[K]): void {
  try {
    sessionStorage.setItem(keyOf(name, owner), JSON.stringify(value));
  } catch {
    // Storage may be full, or forbidden, above all in a frame.
  }
}

export function stored<K extends keyof Stored>(name: K, owner: string): Stored[K] | null {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(name, owner)) ?? "null") as Stored[K] | null;
  } catch {
    return null;
  }
}

export function unstore(name: keyof Stored, owner: string): void {
  try {
    sessionStorage.removeItem(keyOf(name, owner));
  } catch {
    // As above.
  }
}

function keyOf(name: keyof Stored, owner: string): string {
  return `rather:${name}:${owner}`;
}
