import type { Turn } from "./types";
import { extraName, listed } from "./words";

/** What was asked and answered, folded away. */
export function Answers({ turns, readOnly }: { turns: Turn[]; readOnly: boolean }) {
  const held = turns.filter((turn) => !turn.undone);
  return (
    <details class="answers">
      <summary>{readOnly ? "The answers" : "Your answers"}</summary>
      <ol>
        {held.map((turn) => (
          <li key={turn.answer}>
            <Told turn={turn} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function Told({ turn }: { turn: Turn }) {
  const labels = turn.options.map((option) => option.label);
  if (typeof turn.choice !== "number") {
    return (
      <>
        {extraName(turn.choice, labels.length)}: {listed(labels, "or")}
      </>
    );
  }
  const chosen = labels[turn.choice];
  const others = labels.filter((_, place) => place !== turn.choice);
  return (
    <>
      <strong>{chosen}</strong> over {listed(others, "and")}
    </>
  );
}
