import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { Ask } from "./Ask";
import { Banner } from "./Banner";
import { Chooser } from "./Chooser";
import type { Conversation, State } from "./conversation";
import { MustHaves } from "./MustHaves";
import { host } from "./place";
import { Results } from "./Results";
import { Slate } from "./Slate";
import { Trouble } from "./Trouble";
import { extraName, listed } from "./words";

function useConversation(talk: Conversation): State {
  const [state, setState] = useState(talk.state);
  useLayoutEffect(() => talk.subscribe(() => setState(talk.state)), [talk]);
  return state;
}

export function App({ talk }: { talk: Conversation }) {
  const state = useConversation(talk);
  const { screen, session } = state;
  useEffect(() => {
    document.title = session ? `rather · ${session.catalog}` : "rather";
  }, [session?.catalog]);
  const asks = screen === "asking" && session !== null;
  return (
    <div class="frame">
      <header class="top">
        <p class="mark">rather</p>
        <div class="tools">
          {asks && state.filters.length > 0 && <MustHaves talk={talk} session={session} options={state.filters} />}
          {asks && session.answers > 0 && (
            <button type="button" class="quiet" onClick={() => talk.finish()}>
              See results
            </button>
          )}
          {screen !== "choosing" && screen !== "loading" && state.catalogs.length > 1 && host === null && (
            <button type="button" class="quiet" onClick={() => talk.choose()}>
              All catalogues
            </button>
          )}
        </div>
      </header>
      <Banner lost={state.lost} kept={keptAnswer(state)} notice={state.notice} talk={talk} />
      <main>
        {screen === "loading" && <Loading />}
        {screen === "choosing" && <Chooser catalogs={state.catalogs} talk={talk} />}
        {asks && <Ask state={state} session={session} talk={talk} />}
        {screen === "results" && session && <Results state={state} session={session} talk={talk} />}
        {screen === "trouble" && state.trouble && <Trouble problem={state.trouble} talk={talk} />}
      </main>
      <p class="unseen" role="status">
        {announcement(state)}
      </p>
    </div>
  );
}

function Loading() {
  return (
    <div class="loading" aria-busy="true">
      <p class="unseen">Loading</p>
      <Slate options={[BLANK, BLANK]} statements={false} slow />
    </div>
  );
}

const BLANK = { label: "", facts: [] };

/** What is spoken when the question changes without the focus going anywhere. */
function announcement(state: State): string {
  const question = state.session?.question;
  if (state.screen !== "asking" || !question || state.sending !== null) return "";
  return `Question ${question.number}: ${listed(question.options.map((option) => option.label), "or")}?`;
}

/** The answer that waits to be stored, in words. */
function keptAnswer({ sending, session }: State): string | null {
  const options = session?.question?.options;
  if (sending === null || sending === "undo" || !options) return null;
  return typeof sending === "number" ? (options[sending]?.label ?? null) : extraName(sending, options.length);
}
