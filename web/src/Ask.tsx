import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Conversation, State } from "./conversation";
import { Extras } from "./Extras";
import { useArrival } from "./focus";
import { useKeys } from "./keys";
import { Departure } from "./motion";
import { Picks } from "./Picks";
import { RegretChart } from "./RegretChart";
import { Slate } from "./Slate";
import type { Choice, Session } from "./types";

// Nobody reads faster: a second click or key within this time was meant for the question before.
const GUARD_MS = 200;
// A wait that is shorter than this needs no sign of waiting.
const SLOW_MS = 150;

interface Props {
  state: State;
  session: Session;
  talk: Conversation;
}

/** The open question, and beside it what would be recommended now. */
export function Ask({ state, session, talk }: Props) {
  const heading = useArrival();
  const list = useRef<HTMLOListElement>(null);
  const departure = useRef(new Departure());
  const question = session.question;
  const ready = useAfter(GUARD_MS, question?.id);
  // Without a connection the wait may be long: then the answer stays in sight.
  const slow = useAfter(SLOW_MS, state.sending) && state.sending !== null && state.lost === null;

  const choose = (choice: Choice): void => {
    if (!ready || state.sending !== null) return;
    departure.current.remember(list.current, typeof choice === "number" ? choice : null);
    void talk.answer(choice);
  };
  const undo = (): void => {
    departure.current.forget();
    void talk.undo();
  };

  useLayoutEffect(() => {
    if (list.current !== null) departure.current.play(list.current);
  }, [question?.id]);
  useEffect(() => {
    if (slow) departure.current.forget();
  }, [slow]);
  const keys = useKeys(question?.answers ?? [], choose, undo);

  if (!question) return null;
  return (
    <div class="asking" data-question={question.id}>
      <section class="question" aria-labelledby="prompt">
        <p class="eyebrow">
          Question {question.number}
          {session.stop !== null && <span class="beyond"> · one more</span>}
        </p>
        <h1 id="prompt" ref={heading} tabIndex={-1}>
          {question.prompt}
        </h1>
        <div class="stage" aria-busy={state.sending !== null}>
          <Slate
            options={question.options}
            statements={question.kind === "attributes"}
            chosen={state.sending}
            slow={slow}
            ready={ready && state.sending === null}
            onChoose={choose}
            list={list}
          />
        </div>
        <Extras question={question} canUndo={session.last_answer !== null} onChoose={choose} onUndo={undo} keys={keys} />
      </section>
      <aside class="side" aria-label="Recommendations so far">
        <Picks items={session.recommendations} answered={session.answers > 0} />
        <RegretChart fall={state.fall} stopsAt={state.stopsAt} />
      </aside>
    </div>
  );
}

/** True once `subject` has stayed the same for so long. */
function useAfter(milliseconds: number, subject: unknown): boolean {
  const [passed, setPassed] = useState<{ subject: unknown } | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setPassed({ subject }), milliseconds);
    return () => clearTimeout(timer);
  }, [subject]);
  return passed !== null && passed.subject === subject;
}
