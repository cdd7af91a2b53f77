import { useState } from "preact/hooks";
import type { Conversation, State } from "./conversation";
import { t } from "./messages";
import type { Choice, Contradiction, Turn } from "./types";

interface Props {
  found: Contradiction[];
  turns: Turn[];
  state: State;
  conversation: Conversation;
  /** What was pressed is gone then. */
  onRevised: () => void;
}

/** Answers that hardly fit together, as a remark: both may be right, and whoever sees a slip can answer again. */
export function Contradictions({ found, turns, state, conversation, onRevised }: Props) {
  const [first] = found;
  if (state.readOnly || !first) return null;
  return (
    <section class="contradictions" aria-labelledby="contradictions-heading">
      <h2 id="contradictions-heading">{t("contradictions.title")}</h2>
      <p>{first.text}</p>
      <p class="hint">{t("contradictions.hint")}</p>
      {[first.earlier_answer, first.answer].map((answer) => {
        const turn = turns.find((each) => each.answer === answer);
        const revise = (choice: Choice): void => void conversation.revise(answer, choice).then(onRevised);
        return turn && <Again key={answer} turn={turn} busy={state.sending !== null} onChoose={revise} />;
      })}
    </section>
  );
}

/** A question to be answered again, folded away. */
function Again({ turn, busy, onChoose }: { turn: Turn; busy: boolean; onChoose: (choice: Choice) => void }) {
  const [open, setOpen] = useState(false);
  const answers: { choice: Choice; label: string }[] = [
    ...turn.options.map((option, index) => ({ choice: index, label: option.label })),
    { choice: "skip", label: t("contradictions.forget") },
  ];
  return (
    <div class="again">
      <button type="button" class="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
        {t("contradictions.again", { number: turn.number })}
      </button>
      {open && (
        <div class="steer" role="group" aria-label={turn.prompt}>
          <p>{turn.prompt}</p>
          <ul>
            {answers.map(({ choice, label }) => (
              <li key={choice}>
                <button
                  type="button"
                  class="chip"
                  aria-pressed={turn.choice === choice}
                  aria-disabled={busy}
                  onClick={() => onChoose(choice)}
                >
                  {label}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
