import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Adjust } from "./Adjust";
import { adjustedFirst, isAdjustable, isConfigured } from "./adjusting";
import type { Conversation, State } from "./conversation";
import { Extras } from "./Extras";
import { useHeadingFocus } from "./focus";
import { useKeys } from "./keys";
import { t } from "./messages";
import { Departure } from "./motion";
import { Picks } from "./Picks";
import { RegretChart } from "./RegretChart";
import { Slate } from "./Slate";
import { FoldedSteer } from "./Steer";
import { said, theme } from "./theme";
import type { Choice, Session } from "./types";

// Nobody reads faster: a click or key this soon was meant for the previous question.
const GUARD_MS = 200;
// A shorter wait needs no sign of waiting.
const SLOW_MS = 150;

interface Props {
  state: State;
  session: Session;
  conversation: Conversation;
}

/** The open question, and beside it what would be recommended now. */
export function Ask({ state, session, conversation }: Props) {
  const heading = useHeadingFocus();
  const list = useRef<HTMLOListElement>(null);
  const departure = useRef(new Departure());
  const question = session.question;
  const ready = useSettled(GUARD_MS, question?.id);
  // Without a connection the wait may be long, so the answer stays in sight.
  const slow = useSettled(SLOW_MS, state.sending) && state.sending !== null && state.waiting === null;

  const choose = (choice: Choice): void => {
    if (!ready || state.sending !== null) return;
    departure.current.capture(list.current, typeof choice === "number" ? choice : null);
    void conversation.answer(choice);
  };
  const undo = (): void => {
    departure.current.discard();
    void conversation.undo();
  };

  useLayoutEffect(() => {
    if (list.current !== null) departure.current.play(list.current);
  }, [question?.id]);
  useEffect(() => {
    if (slow) departure.current.discard();
  }, [slow]);
  const keys = useKeys(question?.answers ?? [], choose, undo);

  if (!question) return null;
  return (
    <div class="asking" data-question={question.id} data-alone={session.study ? true : undefined}>
      <section class="question" aria-labelledby="prompt" data-slow={slow || undefined}>
        {session.answers === 0 && said(theme.greeting) !== null && <p class="greeting">{said(theme.greeting)}</p>}
        <p class="eyebrow">
          {slow ? t("ask.choosing") : numbered(session, question.number)}
        </p>
        {session.study && (
          <progress class="progress" max={session.study.maximum} value={session.answers} aria-label={t("study.progress")} />
        )}
        <h1 id="prompt" ref={heading} tabIndex={-1}>
          {question.prompt}
        </h1>
        <div class="stage" aria-busy={state.sending !== null}>
          <Slate
            options={question.options}
            attributes={question.kind === "attributes"}
            chosen={state.sending}
            slow={slow}
            ready={ready && state.sending === null}
            onChoose={choose}
            list={list}
          />
        </div>
        <Extras question={question} canUndo={session.last_answer !== null} onChoose={choose} onUndo={undo} keys={keys} />
      </section>
      {!session.study && (
        <aside class="side" aria-label={t("ask.side")}>
          <Recommended state={state} session={session} conversation={conversation} />
          <RegretChart regrets={state.regrets} stopsAt={state.stopsAt} />
        </aside>
      )}
    </div>
  );
}

/** The best few now, and what one can say about them. */
function Recommended({ state, session, conversation }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const items = adjustedFirst(session, session.recommendations);
  const first = isAdjustable(state, session, conversation.api) ? items[0] : undefined;
  return (
    <Picks
      items={items}
      answered={session.answers + session.hints > 0}
      configured={isConfigured(state, session)}
      adjusted={session.adjusted?.id}
      heading={heading}
      steer={(item) => (
        <>
          {item === first && (
            <Adjust
              key={`${item.id} ${session.version}`}
              item={item}
              session={session}
              state={state}
              conversation={conversation}
              onTaken={() => heading.current?.focus()}
            />
          )}
          <FoldedSteer item={item} state={state} conversation={conversation} />
        </>
      )}
    />
  );
}

/** The number of a question; in a study also how many there are. */
function numbered({ study, stop }: Session, number: number): string {
  if (!study) return t(stop === null ? "ask.number" : "ask.optional", { number });
  const { minimum, maximum } = study;
  if (minimum === maximum) return t("study.of", { number, maximum });
  return number <= minimum ? t("study.range", { number, minimum, maximum }) : t("study.most", { number, maximum });
}

/** Whether `subject` has been the same for this long. */
function useSettled(milliseconds: number, subject: unknown): boolean {
  const [passed, setPassed] = useState<{ subject: unknown } | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setPassed({ subject }), milliseconds);
    return () => clearTimeout(timer);
  }, [subject]);
  return passed !== null && passed.subject === subject;
}
