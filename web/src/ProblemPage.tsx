import type { Conversation } from "./conversation";
import { useHeadingFocus } from "./focus";
import { t } from "./messages";
import type { ProblemDetails } from "./types";

const GONE = new Set(["unknown-session", "unknown-share", "catalog-gone", "catalog-changed"]);

/** A problem that does not pass by itself. */
export function ProblemPage({ problem, conversation }: { problem: ProblemDetails; conversation: Conversation }) {
  const heading = useHeadingFocus();
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
