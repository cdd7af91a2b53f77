import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Adjust } from "./Adjust";
import { adjustedFirst, isAdjustable, isConfigured } from "./adjusting";
import { Answers } from "./Answers";
import { refOf } from "./api";
import { Compare } from "./Compare";
import { Contradictions } from "./Contradictions";
import type { Conversation, State } from "./conversation";
import { useHeadingFocus } from "./focus";
import { ItemLinks } from "./ItemLinks";
import { Latest } from "./latest";
import { parts, t } from "./messages";
import { Because, Match, StandsFor } from "./Picks";
import { Picture } from "./Picture";
import { RegretChart } from "./RegretChart";
import { Said } from "./Said";
import { SayIt } from "./SayIt";
import { Share } from "./Share";
import { Steer } from "./Steer";
import { TasteChart } from "./TasteChart";
import type { Contradiction, History, Profile, Recommendation, Session } from "./types";
import { factRows, isReadable, percent, plural, prose, stopName, summary, unlike } from "./words";

const PAGE = 10;
// Further pictures of the best item.
const THUMBS = 4;
// A smaller chance of being the very best says nothing: among many items even a strong match has one.
const TELLING = 0.2;

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
  const odd = useLoaded<Contradiction[]>(session, (signal) => loadContradictions(session, conversation, signal));
  const noun = state.catalogs.find((each) => each.name === session.catalog)?.item ?? "item";
  const who = state.readOnly ? "They" : "You";
  const [best, ...rest] = adjustedFirst(session, items);
  const configured = isConfigured(state, session);
  return (
    <div class="results">
      <section class="ranking" aria-labelledby="best">
        <p class="eyebrow">
          {state.readOnly ? t("results.shared") : stopName(session.stop)} · {t("answers.count", { count: session.answers })}
        </p>
        {isReadable(session.stop) && <Ended text={session.stop_reason ?? ""} readOnly={state.readOnly} heading={heading} />}
        {best && (
          <Best
            item={best}
            session={session}
            count={total}
            nouns={plural(total, noun)}
            who={who}
            heading={heading}
            adjusted={best.id === session.adjusted?.id}
            configured={configured}
          >
            <Steer item={best} state={state} conversation={conversation} />
            {isAdjustable(state, session, conversation.api) && (
              <Adjust
                key={`${best.id} ${session.version}`}
                item={best}
                session={session}
                state={state}
                conversation={conversation}
                onTaken={() => heading.current?.focus()}
              />
            )}
          </Best>
        )}
        {!state.readOnly && !session.study && <NextSteps state={state} session={session} conversation={conversation} />}
        <Said hints={history?.hints ?? []} state={state} session={session} conversation={conversation} />
        <Contradictions
          found={odd ?? []}
          turns={history?.turns ?? []}
          state={state}
          conversation={conversation}
          onRevised={() => heading.current?.focus()}
        />
        <Compare items={best ? [best, ...rest] : []} session={session} />
        {rest.length > 0 && <h2 class="next">{t("results.next")}</h2>}
        {rest.length > 0 && (session.probability_best ?? 0) >= TELLING && (
          <p class="odds">
            {parts(who === "You" ? "results.oneOf.you" : "results.oneOf.them", {
              share: <strong>{percent(session.probability_best ?? 0)}</strong>,
              count: session.recommendations.length,
            })}
          </p>
        )}
        <ol class="ranked" start={2}>
          {rest.map((item) => (
            <li key={item.id} data-picture={item.image ? true : undefined}>
              <Picture address={item.image ?? null} lazy />
              <p class="pick">
                <span class="pick-title">{item.label}</span>
              </p>
              <StandsFor item={item} />
              <Match item={item} />
              <p class="short">{configured && best ? unlike(item.facts, best.facts, 4) : summary(item.facts, 3)}</p>
              <Because reasons={item.reasons ?? []} />
              <ItemLinks item={item} session={session} />
              <Steer item={item} state={state} conversation={conversation} />
            </li>
          ))}
        </ol>
        {more && (
          <button type="button" class="outline" onClick={more}>
            {t("results.more")}
          </button>
        )}
      </section>
      <aside class="side" aria-label={t("results.why")}>
        {profile && <TasteChart profile={profile} who={who} />}
        <SayIt state={state} conversation={conversation} />
        <RegretChart regrets={state.regrets} stopsAt={state.stopsAt} />
        {history && history.turns.length > 0 && <Answers turns={history.turns} readOnly={state.readOnly} />}
        {state.readOnly ? (
          <button type="button" class="solid" onClick={() => void conversation.start(session.catalog)}>
            {t("results.try")}
          </button>
        ) : (
          <Share session={session} items={best ? [best, ...rest] : []} />
        )}
      </aside>
    </div>
  );
}

/** A conversation that cannot go on, with all that was answered beside it. */
function Ended({ text, readOnly, heading }: { text: string; readOnly: boolean; heading: ReturnType<typeof useHeadingFocus> }) {
  return (
    <div class="best">
      <h1 id="best" ref={heading} tabIndex={-1} data-long>
        {t(readOnly ? "results.stillTheirs" : "results.still")}
      </h1>
      <p class="line">{text}</p>
    </div>
  );
}

interface BestProps {
  item: Recommendation;
  session: Session;
  /** How many items it is the best of, and what they are called. */
  count: number;
  nouns: string;
  who: "You" | "They";
  heading: ReturnType<typeof useHeadingFocus>;
  /** Somebody made it of another configuration. */
  adjusted: boolean;
  /** It is a configuration, of which all choices are shown. */
  configured: boolean;
  /** What one can say about it. */
  children: ComponentChildren;
}

function Best({ item, session, count, nouns, who, heading, adjusted, configured, children }: BestProps) {
  const further = (item.images ?? []).slice(1, 1 + THUMBS);
  return (
    <div class="best">
      <Picture address={item.image ?? null} />
      {further.length > 0 && (
        <div class="thumbs">
          {further.map((address) => (
            <Picture key={address} address={address} lazy />
          ))}
        </div>
      )}
      {adjusted && <p class="eyebrow">{t(who === "You" ? "adjust.yours" : "adjust.theirs")}</p>}
      <h1 id="best" ref={heading} tabIndex={-1} data-long={item.label.length > 24 || undefined}>
        {item.label}
      </h1>
      {configured ? <Choices item={item} /> : <p class="short">{summary(item.facts, 4)}</p>}
      <p class="line">{prose(item.facts)}</p>
      <StandsFor item={item} />
      <Match item={item} />
      {item.probability_best >= TELLING && (
        <p class="odds">
          {parts(who === "You" ? "results.odds.you" : "results.odds.them", {
            share: <strong>{percent(item.probability_best)}</strong>,
            count,
            nouns,
          })}
        </p>
      )}
      <Because reasons={item.reasons ?? []} />
      <ItemLinks item={item} session={session} />
      {children}
    </div>
  );
}

/** All that was chosen of a configuration. */
function Choices({ item }: { item: Recommendation }) {
  return (
    <dl class="choices">
      {factRows([item]).map(({ name, values }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{values[0]}</dd>
        </div>
      ))}
    </dl>
  );
}

function NextSteps({ state, session, conversation }: Props) {
  return (
    <div class="actions">
      {session.question && (
        <button type="button" class="solid" onClick={() => conversation.continueAsking()}>
          {t("results.keepGoing")}
        </button>
      )}
      <button type="button" class="outline" onClick={() => void conversation.start(session.catalog)}>
        {t("results.again")}
      </button>
      {session.last_answer && !isReadable(session.stop) && (
        <button type="button" class="quiet" aria-disabled={state.sending !== null} onClick={() => void conversation.undo()}>
          {t("results.undo")}
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

/** Those of a conversation that the reader may correct. */
async function loadContradictions(session: Session, conversation: Conversation, signal: AbortSignal): Promise<Contradiction[]> {
  return session.id ? conversation.api.contradictions(session.id, signal) : [];
}

/** Names a session as it is now. */
function revisionOf(session: Session): string {
  return `${session.share} ${session.version}`;
}
