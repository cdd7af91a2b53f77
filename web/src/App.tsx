import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { Ask } from "./Ask";
import { Banner } from "./Banner";
import { Chooser } from "./Chooser";
import { Collecting } from "./Collecting";
import type { Conversation, State } from "./conversation";
import { parts, t } from "./messages";
import { MustHaves } from "./MustHaves";
import { ProblemPage } from "./ProblemPage";
import { Results } from "./Results";
import { hostOrigin } from "./route";
import { Slate } from "./Slate";
import { StudyEnd } from "./StudyEnd";
import { said, theme } from "./theme";
import { extraName, isReadable, joined } from "./words";

function useConversation(conversation: Conversation): State {
  const [state, setState] = useState(conversation.state);
  useLayoutEffect(() => conversation.subscribe(() => setState(conversation.state)), [conversation]);
  return state;
}

const siteName = (): string => said(theme.title) ?? "rather";

export function App({ conversation }: { conversation: Conversation }) {
  const state = useConversation(conversation);
  const { screen, session } = state;
  useEffect(() => {
    document.title = session ? `${siteName()} · ${session.catalog}` : siteName();
  }, [session?.catalog]);
  const asking = screen === "asking" && session !== null;
  // In a study everybody is asked alike: nothing leads away from the questions.
  const free = session?.study == null;
  // Where nothing matches them any more, must-haves are what the person can change.
  const steering = asking || (screen === "results" && !state.readOnly && isReadable(session?.stop ?? null) && (session?.filters.length ?? 0) > 0);
  return (
    <div class="frame">
      <header class="top">
        <Mark />
        <div class="tools">
          {steering && free && session && state.filterOptions.length > 0 && <MustHaves conversation={conversation} session={session} options={state.filterOptions} busy={state.sending !== null} />}
          {asking && free && session.answers + session.hints > 0 && (
            <button type="button" class="quiet" onClick={() => conversation.finish()}>
              {t("app.results")}
            </button>
          )}
          {screen !== "choosing" && screen !== "loading" && state.catalogs.length > 1 && hostOrigin === null && free && (
            <button type="button" class="quiet" onClick={() => conversation.goToStart()}>
              {t("app.catalogs")}
            </button>
          )}
        </div>
      </header>
      <Banner waiting={state.waiting} pending={pendingAnswer(state)} notice={state.notice} conversation={conversation} />
      <main>
        {screen === "loading" && <Loading />}
        {screen === "choosing" && <Chooser catalogs={state.catalogs} conversation={conversation} />}
        {asking && <Ask state={state} session={session} conversation={conversation} />}
        {screen === "results" && session?.study && <StudyEnd study={session.study} />}
        {screen === "results" && session && session.study?.results !== false && (
          <Results state={state} session={session} conversation={conversation} />
        )}
        {screen === "problem" && state.problem && <ProblemPage problem={state.problem} conversation={conversation} />}
      </main>
      <p class="visually-hidden" role="status">
        {announcement(state)}
      </p>
      {(asking || screen === "results") && !state.readOnly && <Collecting />}
      {theme.poweredBy && (
        <footer class="powered">
          {parts("app.powered", { name: <em>rather</em> })}
        </footer>
      )}
    </div>
  );
}

/** The logo, or the name. */
function Mark() {
  if (theme.logo === null) return <p class="mark">{siteName()}</p>;
  return (
    <p class="mark" data-both={theme.logoDark !== null || undefined}>
      <img class="logo" src={theme.logo} alt={siteName()} />
      {theme.logoDark !== null && <img class="logo" data-mode="dark" src={theme.logoDark} alt={siteName()} />}
    </p>
  );
}

function Loading() {
  return (
    <div class="loading" aria-busy="true">
      <p class="visually-hidden">{t("app.loading")}</p>
      <Slate options={[BLANK, BLANK]} attributes={false} slow />
    </div>
  );
}

const BLANK = { label: "", facts: [] };

/** What a screen reader says when the question changes, since the focus does not move. */
function announcement(state: State): string {
  const question = state.session?.question;
  if (state.screen !== "asking" || !question || state.sending !== null) return "";
  return t("app.question", { number: question.number, options: joined(question.options.map((option) => option.label), "or") });
}

/** The answer that is being sent, in words. */
function pendingAnswer({ sending, session }: State): string | null {
  const options = session?.question?.options;
  if (sending === null || sending === "undo" || sending === "hint" || sending === "filters" || sending === "revise" || !options) return null;
  return typeof sending === "number" ? (options[sending]?.label ?? null) : extraName(sending, options.length);
}
