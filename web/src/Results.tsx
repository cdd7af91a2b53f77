import { useEffect, useState } from "preact/hooks";
import { Answers } from "./Answers";
import { type Conversation, ignoreProblem, type State } from "./conversation";
import { useArrival } from "./focus";
import { Because, Chance } from "./Picks";
import { RegretChart } from "./RegretChart";
import { Share } from "./Share";
import { TasteChart } from "./TasteChart";
import type { History, Profile, Recommendation, Session } from "./types";
import { ended, inShort, percent, plural, prose, told } from "./words";

const PAGE = 10;

interface Props {
  state: State;
  session: Session;
  talk: Conversation;
}

/** The end: the ranking, the taste behind it, and what one can do next. */
export function Results({ state, session, talk }: Props) {
  const heading = useArrival();
  const { items, total, more } = useRanking(session, talk);
  const profile = useLoaded<Profile>(() => talk.api.profile(talk.whose), session.version);
  const history = useLoaded<History>(() => talk.api.history(talk.whose), session.version);
  const noun = state.catalogs.find((catalog) => catalog.name === session.catalog)?.item ?? "item";
  const whose = state.readOnly ? "them" : "you";
  const [best, ...rest] = items;
  const reasons = told(items.map((item) => item.why));
  return (
    <div class="results">
      <section class="ranking" aria-labelledby="best">
        <p class="eyebrow">
          {state.readOnly ? "A shared list" : ended(session.stop)} · {plural(session.answers, "answer")}
        </p>
        {best && <Best item={best} among={plural(total, noun)} whose={whose} heading={heading} />}
        {!state.readOnly && <NextSteps state={state} session={session} talk={talk} />}
        <h2 class="then">Then</h2>
        <ol class="ranked" start={2}>
          {rest.map((item, place) => (
            <li key={item.id}>
              <p class="pick">
                <span class="pick-title">{item.label}</span>
                <Chance share={item.probability_best} />
              </p>
              <p class="short">{inShort(item.facts, 3)}</p>
              <Because {...reasons[place + 1]!} />
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
        {profile && <TasteChart profile={profile} whose={whose} />}
        <RegretChart fall={state.fall} stopsAt={state.stopsAt} />
        {history && history.turns.length > 0 && <Answers turns={history.turns} readOnly={state.readOnly} />}
        {state.readOnly ? (
          <button type="button" class="solid" onClick={() => void talk.start(session.catalog)}>
            Now ask me
          </button>
        ) : (
          <Share token={session.share} />
        )}
      </aside>
    </div>
  );
}

interface BestProps {
  item: Recommendation;
  /** The items that it is the best of, in words. */
  among: string;
  whose: "you" | "them";
  heading: ReturnType<typeof useArrival>;
}

function Best({ item, among, whose, heading }: BestProps) {
  return (
    <div class="best">
      {item.image && <img class="picture" src={item.image} alt="" onError={(event) => event.currentTarget.remove()} />}
      <h1 id="best" ref={heading} tabIndex={-1} data-long={item.label.length > 24 || undefined}>
        {item.label}
      </h1>
      <p class="short">{inShort(item.facts, 4)}</p>
      <p class="line">{prose(item.facts)}</p>
      <p class="odds">
        <strong>{percent(item.probability_best)}</strong> chance to be the best of {among} for {whose}
      </p>
      <Because why={item.why ?? null} />
    </div>
  );
}

function NextSteps({ state, session, talk }: Props) {
  return (
    <div class="actions">
      {session.question && (
        <button type="button" class="solid" onClick={() => talk.goOn()}>
          Keep going
        </button>
      )}
      <button type="button" class="outline" onClick={() => void talk.start(session.catalog)}>
        Start again
      </button>
      {session.last_answer && (
        <button type="button" class="quiet" aria-disabled={state.sending !== null} onClick={() => void talk.undo()}>
          Undo the last answer
        </button>
      )}
    </div>
  );
}

/** The ranking as far as it was asked for; what the session brought along until then. */
function useRanking(session: Session, talk: Conversation) {
  const [pages, setPages] = useState<{ version: number; items: Recommendation[]; total: number } | null>(null);
  const load = async (items: Recommendation[]): Promise<void> => {
    const page = await talk.api.recommendations(talk.whose, PAGE, items.length);
    setPages({ version: session.version, items: [...items, ...page.recommendations], total: page.total });
  };
  useEffect(() => void load([]).catch(ignoreProblem), [session.share, session.version]);
  const current = pages !== null && pages.version === session.version ? pages : null;
  const items = current?.items ?? session.recommendations;
  const more = current !== null && items.length < current.total ? () => void load(items).catch(ignoreProblem) : null;
  return { items, total: current?.total ?? items.length, more };
}

/** What a request brings, once it is there. */
function useLoaded<T>(load: () => Promise<T>, version: number): T | null {
  const [loaded, setLoaded] = useState<T | null>(null);
  useEffect(() => void load().then(setLoaded, ignoreProblem), [version]);
  return loaded;
}
