import { EXTRA_KEYS, type Keys } from "./keys";
import { t } from "./messages";
import type { Choice, Question } from "./types";
import { extraName } from "./words";

interface Props {
  question: Question;
  canUndo: boolean;
  onChoose: (choice: Choice) => void;
  onUndo: () => void;
  keys: Keys;
}

/** The answers other than the options, undo, and the switch of the keys. */
export function Extras({ question, canUndo, onChoose, onUndo, keys }: Props) {
  const extras = (["none", "same", "skip"] as const).filter((extra) => question.answers.includes(extra));
  return (
    <div class="extras" role="group" aria-label={t("answer.others")} data-keys={keys.on || undefined}>
      {extras.map((extra) => (
        <button key={extra} type="button" aria-keyshortcuts={EXTRA_KEYS[extra]} onClick={() => onChoose(extra)}>
          {extraName(extra, question.options.length)}
          <kbd aria-hidden="true">{EXTRA_KEYS[extra]}</kbd>
        </button>
      ))}
      <button type="button" class="undo" aria-keyshortcuts="Backspace" aria-disabled={!canUndo} onClick={onUndo}>
        {t("answer.undo")}
        <kbd aria-hidden="true">⌫</kbd>
      </button>
      <button type="button" class="switch" aria-pressed={keys.on} onClick={keys.toggle}>
        {t(keys.on ? "answer.keys.on" : "answer.keys.off")}
      </button>
    </div>
  );
}
