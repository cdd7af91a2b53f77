/** Answering with single keys. They can be switched off, for people who dictate or brush against the keyboard. */

import { useEffect, useRef, useState } from "preact/hooks";
import { store, stored } from "./storage";
import type { Choice } from "./types";

export interface Keys {
  on: boolean;
  toggle: () => void;
}

/** The keys of the answers other than an option. */
export const EXTRA_KEYS = { none: "0", same: "=", skip: "?" } as const;

/** The answer that a key gives, if any. */
export function choiceOf(key: string): Choice | null {
  if (key.length === 1 && key >= "1" && key <= "9") return Number(key) - 1;
  return (["none", "same", "skip"] as const).find((extra) => EXTRA_KEYS[extra] === key) ?? null;
}

/** Let `1`..`9`, `0`, `=`, `?` answer and backspace undo, unless the focus is in a field or a dialog. */
export function useKeys(answers: Choice[], choose: (choice: Choice) => void, undo: () => void): Keys {
  const [on, setOn] = useState(stored("keys", "") !== "off");
  const handle = useRef<(event: KeyboardEvent) => void>(() => {});
  handle.current = (event) => {
    if (!on) return;
    const choice = choiceOf(event.key);
    if (choice !== null && answers.includes(choice)) choose(choice);
    else if (event.key === "Backspace") undo();
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || isInput(event.target)) return;
      handle.current(event);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  const toggle = (): void => {
    store("keys", "", on ? "off" : "on");
    setOn(!on);
  };
  return { on, toggle };
}

function isInput(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, select, textarea, dialog") !== null;
}
