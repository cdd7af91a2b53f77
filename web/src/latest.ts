/** Requests of which only the latest counts. */

import { Problem } from "./connection";

/** Each request aborts the one before, so that an old reply never replaces a newer one. */
export class Latest {
  private request = new AbortController();

  /**
   * Send a request and use its reply, unless another request or `cancel` comes first. The page works without it: an error
   * reply is left, or passed to `fail`.
   */
  load<T>(send: (signal: AbortSignal) => Promise<T>, use: (reply: T) => void, fail: (problem: Problem) => void = () => {}): void {
    this.cancel();
    const { signal } = (this.request = new AbortController());
    const load = async (): Promise<void> => {
      try {
        const reply = await send(signal);
        if (!signal.aborted) use(reply);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Problem)) throw error; // anything but an error reply is a bug
        fail(error);
      }
    };
    void load();
  }

  cancel(): void {
    this.request.abort();
  }
}
