import type { Conversation, State } from "./conversation";
import { t } from "./messages";
import type { HintGiven, Session } from "./types";

interface Props {
  hints: HintGiven[];
  state: State;
  session: Session;
  conversation: Conversation;
}

/** What the person said unasked and did not take back; the last can be, if nothing came after it. */
export function Said({ hints, state, session, conversation }: Props) {
  const standing = hints.filter((hint) => !hint.undone);
  const last = standing[standing.length - 1];
  return (
    <section class="said" aria-labelledby={standing.length > 0 ? "said-heading" : undefined}>
      {standing.length > 0 && (
        <>
          <h2 id="said-heading">{t(state.readOnly ? "said.theirs" : "said.yours")}</h2>
          <ul>
            {standing.map((hint) => (
              <li key={hint.hint}>
                {hint.text}
                {!state.readOnly && hint.hint === session.last_answer && (
                  <button type="button" class="quiet" aria-disabled={state.sending !== null} onClick={() => void conversation.undo()}>
                    {t("said.undo")}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="visually-hidden" role="status">
        {last && t("said.noted", { text: last.text })}
      </p>
    </section>
  );
}
