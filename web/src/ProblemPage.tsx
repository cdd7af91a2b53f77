import type { Conversation } from "./conversation";
import { useHeadingFocus } from "./focus";
import { t } from "./messages";
import { Onward } from "./StudyEnd";
import type { ProblemDetails } from "./types";

const GONE = new Set(["unknown-session", "unknown-share", "catalog-gone", "catalog-changed"]);

// Why somebody cannot take part in a study.
const OUTSIDE = new Set(["study-full", "study-closed", "study-not-open", "already-taken-part", "respondent-missing"]);

/** A problem that does not pass by itself. */
export function ProblemPage({ problem, conversation }: { problem: ProblemDetails; conversation: Conversation }) {
  const heading = useHeadingFocus();
  if (OUTSIDE.has(problem.code)) {
    return (
      <div class="problem">
        <h1 ref={heading} tabIndex={-1}>
          {problem.detail}
        </h1>
        {problem.redirect ? <Onward address={problem.redirect} /> : <p>{problem.action}</p>}
      </div>
    );
  }
  const gone = GONE.has(problem.code);
  return (
    <div class="problem">
      <h1 ref={heading} tabIndex={-1}>
        {t(gone ? "problem.gone" : "problem.wrong")}
      </h1>
      <p>{problem.detail}</p>
      {!gone && <p>{problem.action}</p>}
      <div class="actions">
        {!gone && (
          <button type="button" class="solid" onClick={() => void conversation.followAddress()}>
            {t("problem.again")}
          </button>
        )}
        <button type="button" class={gone ? "solid" : "outline"} onClick={() => conversation.goToStart()}>
          {t("problem.new")}
        </button>
      </div>
    </div>
  );
}
