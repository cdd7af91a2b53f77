import type { Conversation } from "./conversation";
import { useArrival } from "./focus";
import { go } from "./place";
import type { ProblemDetails } from "./types";

const GONE = new Set(["unknown-session", "unknown-share", "catalog-gone", "catalog-changed"]);

/** Something that trying again by itself would not mend. */
export function Trouble({ problem, talk }: { problem: ProblemDetails; talk: Conversation }) {
  const heading = useArrival();
  const gone = GONE.has(problem.code);
  const begin = (): void => {
    go({ at: "start" }, "new");
    void talk.enter();
  };
  return (
    <div class="trouble">
      <h1 ref={heading} tabIndex={-1}>
        {gone ? "This conversation is gone" : "That did not work"}
      </h1>
      <p>{problem.detail}</p>
      {!gone && <p>{problem.action}</p>}
      <div class="actions">
        {!gone && (
          <button type="button" class="solid" onClick={() => void talk.enter()}>
            Try again
          </button>
        )}
        <button type="button" class={gone ? "solid" : "outline"} onClick={begin}>
          Start a new one
        </button>
      </div>
    </div>
  );
}
