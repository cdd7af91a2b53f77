/** Messages to the site that embeds this page: its height, and what happens in the conversation. */

import { hostOrigin } from "./route";
import type { Choice, Question, Recommendation, Session } from "./types";

function post(message: object): void {
  if (hostOrigin === null) return;
  try {
    window.parent.postMessage(message, hostOrigin);
  } catch {
    // The origin is read from the address and may not be one; then nobody listens.
  }
}

/** Post the height of the content now and whenever it changes, so that the frame can follow. */
export function postHeight(content: HTMLElement): void {
  if (hostOrigin === null) return;
  document.documentElement.classList.add("embedded");
  const report = (): void => post({ type: "rather:height", height: Math.ceil(content.getBoundingClientRect().height) });
  new ResizeObserver(report).observe(content);
}

/** Post that a conversation has begun, or goes on after a reload. */
export function postStarted({ id, share, catalog }: Session, resumed: boolean): void {
  post({ type: "rather:started", detail: { session: id, share, catalog, resumed } });
}

/** Post an answer that is stored; `item` is the id of the chosen option. */
export function postAnswered({ id, catalog, last_answer: answer, answers }: Session, question: Question, choice: Choice): void {
  const item = typeof choice === "number" ? (question.options[choice]?.id ?? null) : null;
  post({ type: "rather:answered", detail: { session: id, catalog, question: question.id, answer, choice, item, answers } });
}

/** Post that the conversation has ended, with its results. */
export function postFinished({ id, share, catalog, answers, stop, stop_reason, recommendations }: Session): void {
  post({ type: "rather:finished", detail: { session: id, share, catalog, answers, stop, stop_reason, recommendations } });
}

/** Post that the owner's button was pressed for an item, such as "Add to cart". */
export function postAction({ id, catalog }: Session, { id: item, label, link, rank }: Recommendation): void {
  post({ type: "rather:action", detail: { session: id, catalog, item, label, link: link ?? null, rank } });
}
