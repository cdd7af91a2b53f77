import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { Ask } from "./Ask";
import { Banner } from "./Banner";
import { Chooser } from "./Chooser";
import type { Conversation, State } from "./conversation";
import { MustHaves } from "./MustHaves";
import { ProblemPage } from "./ProblemPage";
import { Results } from "./Results";
import { hostOrigin } from "./route";
import { Slate } from "./Slate";
import { extraName, joined } from "./words";

function useConversation(conversation: Conversation): State {
  const [state, setState] = useState(conversation.state);
  useLayoutEffect(() => conversation.subscribe(() => setState(conversation.state)), [conversation]);
  return state;
}

export function App({ conversation }: { conversation: Conversation }) {
  const state = useConversation(conversation);
  const { screen, session } = state;
  useEffect(() => {
    document.title = session ? `rather · ${session.catalog}` : "rather";
  }, [session?.catalog]);
  const asking = screen === "asking" && session !== null;
  return (
    <div class="frame">
      <header class="top">
        <p class="mark">rather</p>
        <div class="tools">
          {asking && state.filterOptions.length > 0 && <MustHaves conversation={conversation} session={session} options={state.filterOptions} busy={state.sending !== null} />}
          {asking && session.answers > 0 && (
            <button type="button" class="quiet" onClick={() => conversation.finish()}>
              See results
            </button>
          )}
          {screen !== "choosing" && screen !== "loading" && state.catalogs.length > 1 && hostOrigin === null && (
            <button type="button" class="quiet" onClick={() => conversation.goToStart()}>
              All catalogues
            </button>
          )}
        </div>
      </header>
      <Banner waiting={state.waiting} pending={pendingAnswer(state)} notice={state.notice} conversation={conversation} />
      <main>
        {screen === "loading" && <Loading />}
        {screen === "choosing" && <Chooser catalogs={state.catalogs} conversation={conversation} />}
        {asking && <Ask state={state} session={session} conversation={conversation} />}
        {screen === "results" && session && <Results state={state} session={session} conversation={conversation} />}
        {screen === "problem" && state.problem && <ProblemPage problem={state.problem} conversation={conversation} />}
      </main>
      <p class="visually-hidden" role="status">
        {announcement(state)}
      </p>
    </div>
  );
}

function Loading() {
  return (
    <div class="loading" aria-busy="true">
      <p class="visually-hidden">Loading</p>
      <Slate options={[BLANK, BLANK]} attributes={false} slow />
    </div>
  );
}

const BLANK = { label: "", facts: [] };

/** What a screen reader says when the question changes, since the focus does not move. */
function announcement(state: State): string {
  const question = state.session?.question;
  if (state.screen !== "asking" || !question || state.sending !== null) return "";
  return `Question ${question.number}: ${joined(question.options.map((option) => option.label), "or")}?`;
}

/** The answer that is being sent, in words. */
function pendingAnswer({ sending, session }: State): string | null {
  const options = session?.question?.options;
  if (sending === null || sending === "undo" || sending === "filters" || !options) return null;
  return typeof sending === "number" ? (options[sending]?.label ?? null) : extraName(sending, options.length);
}
