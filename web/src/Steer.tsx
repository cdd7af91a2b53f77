import type { Conversation, State } from "./conversation";
import { t } from "./messages";
import type { Recommendation } from "./types";

interface Props {
  item: Recommendation;
  state: State;
  conversation: Conversation;
}

/** Small buttons with which a person says what an item should be like: more like this, or like this but cheaper. */
export function Steer({ item, state, conversation }: Props) {
  if (state.readOnly || state.session?.study) return null;
  const busy = state.sending !== null;
  const say = (text: string, spoken: string, send: () => Promise<void>) => (
    <li key={text}>
      <button type="button" class="chip" aria-disabled={busy} aria-label={spoken} onClick={() => void send()}>
        {text}
      </button>
    </li>
  );
  const like = t("steer.like");
  return (
    <div class="steer">
      <ul aria-label={t("steer.about", { item: item.label })}>
        {say(like, t("steer.likeItem", { text: like, item: item.label }), () =>
          conversation.hint({ says: "more-like", item: item.id }),
        )}
        {(item.wishes ?? []).map(({ column, toward, text }) =>
          say(text, t("steer.butItem", { text, item: item.label }), () =>
            conversation.hint({ says: "like-but", item: item.id, column, toward }),
          ),
        )}
      </ul>
    </div>
  );
}

/** The same, folded away: beside a question, which is what is read. */
export function FoldedSteer(props: Props) {
  if (props.state.readOnly) return null;
  return (
    <details class="steering">
      <summary aria-label={t("steer.about", { item: props.item.label })}>{t("steer.fold")}</summary>
      <Steer {...props} />
    </details>
  );
}
