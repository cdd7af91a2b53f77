import { useEffect, useState } from "preact/hooks";
import { Answers } from "./Answers";
import { refOf } from "./api";
import type { Conversation, State } from "./conversation";
import { useHeadingFocus } from "./focus";
import { Latest } from "./latest";
import { Because, Chance } from "./Picks";
import { RegretChart } from "./RegretChart";
import { Share } from "./Share";
import { TasteChart } from "./TasteChart";
import type { History, Profile, Recommendation, Session } from "./types";
import { isReadable, percent, plural, prose, stopName, summary, withRepeats } from "./words";

const PAGE = 10;

interface Props {
  state: State;
  session: Session;
  conversation: Conversation;
}

/** The end: the ranking, the taste behind it, and what one can do next. */
export function Results({ state, session, conversation }: Props) {
  const heading = useHeadingFocus();
  const { items, total, more } = useRanking(session, conversation);
  const profile = useLoaded<Profile>(session, (signal) => conversation.api.profile(refOf(session), signal));
  const history = useLoaded<History>(session, (signal) => conversation.api.history(refOf(session), signal));
  const noun = state.catalogs.find((catalog) => catalog.name === session.catalog)?.item ?? "item";
  const whom = state.readOnly ? "them" : "you";
  const who = state.readOnly ? "They" : "You";
  const [best, ...rest] = items;
  const reasons = withRepeats(items.map((item) => item.why));
  return (
    <div class="results">
      <section class="ranking" aria-labelledby="best">
        <p class="eyebrow">
          {state.readOnly ? "A shared list" : stopName(session.stop)} · {plural(session.answers, "answer")}
        </p>
        {isReadable(session.stop) && <Ended text={session.stop_reason ?? ""} heading={heading} />}
        {best && <Best item={best} among={plural(total, noun)} whom={whom} who={who} heading={heading} />}
        {!state.readOnly && <NextSteps state={state} session={session} conversation={conversation} />}
        {rest.length > 0 && <h2 class="next">Next best</h2>}
        <ol class="ranked" start={2}>
          {rest.map((item, index) => (
            <li key={item.id}>
              <p class="pick">
                <span class="pick-title">{item.label}</span>
                <Chance share={item.probability_best} />
              </p>
              <p class="short">{summary(item.facts, 3)}</p>
              <Because {...reasons[index + 1]!} who={who} />
            </li>
          ))}
        </ol>
        {more && (
          <button type="button" class="outline" onClick={more}>
            Show more
          </button>
        )}
      </section>
      <aside class="side" aria-label="Why this list">
        {profile && <TasteChart profile={profile} whom={whom} />}
        <RegretChart regrets={state.regrets} stopsAt={state.stopsAt} />
        {history && history.turns.length > 0 && <Answers turns={history.turns} readOnly={state.readOnly} />}
        {state.readOnly ? (
          <button type="button" class="solid" onClick={() => void conversation.start(session.catalog)}>
            Try it yourself
          </button>
        ) : (
          <Share token={session.share} />
        )}
      </aside>
    </div>
  );
}

/** A conversation that cannot go on, with all that was answered beside it. */
function Ended({ text, heading }: { text: string; heading: ReturnType<typeof useHeadingFocus> }) {
  return (
    <div class="best">
      <h1 id="best" ref={heading} tabIndex={-1} data-long>
        Your answers are still here
      </h1>
      <p class="line">{text}</p>
    </div>
  );
}

interface BestProps {
  item: Recommendation;
  /** The items that it is the best of, in words. */
  among: string;
  whom: "you" | "them";
  who: "You" | "They";
  heading: ReturnType<typeof useHeadingFocus>;
}

function Best({ item, among, whom, who, heading }: BestProps) {
  return (
    <div class="best">
      {item.image && <img class="picture" src={item.image} alt="" onError={(event) => event.currentTarget.remove()} />}
      <h1 id="best" ref={heading} tabIndex={-1} data-long={item.label.length > 24 || undefined}>
        {item.label}
      </h1>
      <p class="short">{summary(item.facts, 4)}</p>
      <p class="line">{prose(item.facts)}</p>
      <p class="odds">
        <strong>{percent(item.probability_best)}</strong> chance of being the best of {among} for {whom}
      </p>
      <Because why={item.why ?? null} who={who} />
    </div>
  );
}

function NextSteps({ state, session, conversation }: Props) {
  return (
    <div class="actions">
      {session.question && (
        <button type="button" class="solid" onClick={() => conversation.continueAsking()}>
          Keep going
        </button>
      )}
      <button type="button" class="outline" onClick={() => void conversation.start(session.catalog)}>
        Start again
      </button>
      {session.last_answer && !isReadable(session.stop) && (
        <button type="button" class="quiet" aria-disabled={state.sending !== null} onClick={() => void conversation.undo()}>
          Undo the last answer
        </button>
      )}
    </div>
  );
}

/** The ranking as far as it is loaded; until then, the best few that the session contains. */
function useRanking(session: Session, conversation: Conversation) {
  const [loaded, setLoaded] = useState<{ of: string; items: Recommendation[]; total: number } | null>(null);
  const [request] = useState(() => new Latest());
  const of = revisionOf(session);
  const load = (before: Recommendation[]): void =>
    request.load(
      (signal) => conversation.api.recommendations(refOf(session), PAGE, before.length, signal),
      (page) => setLoaded({ of, items: [...before, ...page.recommendations], total: page.total }),
    );
  useEffect(() => {
    load([]);
    return () => request.cancel();
  }, [of]);
  const current = loaded?.of === of ? loaded : null;
  const items = current?.items ?? session.recommendations;
  const more = current !== null && items.length < current.total ? () => load(items) : null;
  return { items, total: current?.total ?? items.length, more };
}

/** What a request about a session returns, once it is there; loaded again when the session changes. */
function useLoaded<T>(session: Session, send: (signal: AbortSignal) => Promise<T>): T | null {
  const [loaded, setLoaded] = useState<T | null>(null);
  useEffect(() => {
    const request = new Latest();
    request.load(send, setLoaded);
    return () => request.cancel();
  }, [revisionOf(session)]);
  return loaded;
}

/** Names a session as it is now. */
function revisionOf(session: Session): string {
  return `${session.share} ${session.version}`;
}
