/** Answering with single keys, which can be switched off for those who speak or brush against the keyboard. */

import { useEffect, useRef, useState } from "preact/hooks";
import { keep, kept } from "./memory";
import type { Choice } from "./types";

export interface Keys {
  on: boolean;
  toggle: () => void;
}

const EXTRAS: Record<string, Choice> = { "0": "none", "=": "same", "?": "skip" };

function choiceOf(key: string): Choice | null {
  if (key.length === 1 && key >= "1" && key <= "9") return Number(key) - 1;
  return EXTRAS[key] ?? null;
}

/** Let `1`..`9`, `0`, `=`, `?` and backspace answer and undo, wherever the focus is but in a field or a dialog. */
export function useKeys(answers: Choice[], choose: (choice: Choice) => void, undo: () => void): Keys {
  const [on, setOn] = useState(kept("keys", "") !== "off");
  const act = useRef<(event: KeyboardEvent) => void>(() => {});
  act.current = (event) => {
    if (!on) return;
    const choice = choiceOf(event.key);
    if (choice !== null && answers.includes(choice)) choose(choice);
    else if (event.key === "Backspace") undo();
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || elsewhere(event.target)) return;
      act.current(event);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  const toggle = (): void => {
    keep("keys", "", on ? "off" : "on");
    setOn(!on);
  };
  return { on, toggle };
}

function elsewhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, select, textarea, dialog") !== null;
}
