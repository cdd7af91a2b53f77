import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Conversation, State } from "./conversation";
import { t } from "./messages";
import type { NewHint, HintOption } from "./types";
import { isReadable } from "./words";

interface Props {
  state: State;
  conversation: Conversation;
}

/** "I want …" and "I don't care about …", below the taste profile. */
export function SayIt({ state, conversation }: Props) {
  const { hintOptions, readOnly, session } = state;
  if (readOnly || session?.study || isReadable(session?.stop ?? null) || hintOptions.length === 0) return null;
  const topics = [...new Map(hintOptions.map((each) => [each.column, each.topic]))];
  return (
    <section class="say-it" aria-labelledby="say-it-heading">
      <h2 id="say-it-heading">{t("say.title")}</h2>
      <Sentence
        id="want"
        label={t("say.want")}
        busy={state.sending !== null}
        say={(attribute) => conversation.hint({ says: "want", attribute })}
      >
        {wanted(hintOptions).map(([topic, attributes]) =>
          attributes.length === 1 ? (
            <Wanted key={topic} {...attributes[0]!} />
          ) : (
            <optgroup key={topic} label={topic}>
              {attributes.map((each) => (
                <Wanted key={each.attribute} {...each} />
              ))}
            </optgroup>
          ),
        )}
      </Sentence>
      <Sentence
        id="dont-care"
        label={t("say.dontCare")}
        busy={state.sending !== null}
        say={(column) => conversation.hint({ says: "dont-care", column })}
      >
        {topics.map(([column, topic]) => (
          <option key={column} value={column}>
            {topic}
          </option>
        ))}
      </Sentence>
    </section>
  );
}

/** The attributes by topic, in the order of the catalogue; what stands alone comes by itself. */
function wanted(hintOptions: HintOption[]): [string, HintOption[]][] {
  const byColumn = new Map<string, HintOption[]>();
  for (const each of hintOptions) byColumn.set(each.column, [...(byColumn.get(each.column) ?? []), each]);
  return [...byColumn.values()].map((attributes) => [attributes[0]?.topic ?? "", attributes]);
}

function Wanted({ attribute, text }: HintOption) {
  return <option value={attribute}>{text}</option>;
}

interface SentenceProps {
  id: string;
  label: string;
  busy: boolean;
  say: (value: NonNullable<NewHint["column"]>) => Promise<void>;
  children: ComponentChildren;
}

/** The beginning of a sentence, the ways to end it, and a button that says it. */
function Sentence({ id, label, busy, say, children }: SentenceProps) {
  const [chosen, setChosen] = useState("");
  return (
    <form
      class="sentence"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen === "" || busy) return;
        void say(chosen);
        setChosen("");
      }}
    >
      <label for={id}>{label}</label>
      <select id={id} value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
        <option value="">…</option>
        {children}
      </select>
      <button type="submit" class="chip" aria-disabled={busy || chosen === ""}>
        {t("say.send")}
      </button>
    </form>
  );
}
