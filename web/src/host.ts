/** What an embedding site hears: how high the page is, and the recommendations when the conversation ends. */

import { host } from "./place";
import type { Session } from "./types";

function tell(message: object): void {
  if (host === null) return;
  try {
    window.parent.postMessage(message, host);
  } catch {
    // `host` came from the address and may be no origin at all; then nobody listens.
  }
}

/** Let the host give the frame the height of its content, now and whenever that changes. */
export function tellHeight(content: HTMLElement): void {
  if (host === null) return;
  document.documentElement.classList.add("embedded");
  const report = (): void => tell({ type: "rather:height", height: Math.ceil(content.getBoundingClientRect().height) });
  new ResizeObserver(report).observe(content);
}

/** Tell the host that the conversation has come to its end. */
export function tellDone({ id, share, catalog, answers, stop, stop_reason, recommendations }: Session): void {
  tell({ type: "rather:done", detail: { session: id, share, catalog, answers, stop, stop_reason, recommendations } });
}
