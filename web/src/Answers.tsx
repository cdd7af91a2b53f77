import type { Turn } from "./types";
import { extraName, joined } from "./words";

/** The answers that were given and not undone, folded away. */
export function Answers({ turns, readOnly }: { turns: Turn[]; readOnly: boolean }) {
  const standing = turns.filter((turn) => !turn.undone);
  return (
    <details class="answers">
      <summary>{readOnly ? "The answers" : "Your answers"}</summary>
      <ol>
        {standing.map((turn) => (
          <li key={turn.answer}>
            <Answer turn={turn} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function Answer({ turn }: { turn: Turn }) {
  const labels = turn.options.map((option) => option.label);
  if (typeof turn.choice !== "number") {
    return (
      <>
        {turn.choice === "skip" ? "Skipped" : extraName(turn.choice, labels.length)}: {joined(labels, "or")}
      </>
    );
  }
  const chosen = labels[turn.choice];
  const others = labels.filter((_, index) => index !== turn.choice);
  return (
    <>
      <strong>{chosen}</strong> over {joined(others, "and")}
    </>
  );
}
