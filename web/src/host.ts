/** Messages to the site that embeds this page: its height, and the recommendations when the conversation ends. */

import { hostOrigin } from "./route";
import type { Session } from "./types";

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

/** Post that the conversation has ended, with its results. */
export function postDone({ id, share, catalog, answers, stop, stop_reason, recommendations }: Session): void {
  post({ type: "rather:done", detail: { session: id, share, catalog, answers, stop, stop_reason, recommendations } });
}
