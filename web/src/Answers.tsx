import { parts, t } from "./messages";
import type { Turn } from "./types";
import { extraName, joined } from "./words";

/** The answers that were given and not undone, folded away. */
export function Answers({ turns, readOnly }: { turns: Turn[]; readOnly: boolean }) {
  const standing = turns.filter((turn) => !turn.undone);
  return (
    <details class="answers">
      <summary>{t(readOnly ? "answers.theirs" : "answers.yours")}</summary>
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
  const labels = turn.options.map((option) => option.phrase || option.label);
  if (typeof turn.choice !== "number") {
    const answer = turn.choice === "skip" ? t("answer.skipped") : extraName(turn.choice, labels.length);
    return <>{t("answers.other", { answer, options: joined(labels, "or") })}</>;
  }
  const chosen = labels[turn.choice];
  const others = labels.filter((_, index) => index !== turn.choice);
  return <>{parts("answers.over", { chosen: <strong>{chosen}</strong>, others: joined(others, "and") })}</>;
}
