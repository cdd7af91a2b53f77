/** The few parts of a browser that the logic of the page uses, and a server whose replies a test decides on. */

import { afterEach, beforeEach, vi } from "vitest";

class Storage {
  private readonly items = new Map<string, string>();
  getItem = (key: string): string | null => this.items.get(key) ?? null;
  setItem = (key: string, value: string): void => void this.items.set(key, value);
  removeItem = (key: string): void => void this.items.delete(key);
}

/** A request that the page has sent and that waits for its reply. */
export interface Request {
  method: string;
  path: string;
  body: unknown;
  signal: AbortSignal;
  reply: (status: number, body: unknown, headers?: Record<string, string>) => Promise<void>;
  /** Lose the connection. */
  fail: () => Promise<void>;
}

/** Let everything happen that waits for nothing but promises. */
export async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

export class Browser {
  /** Every request, the oldest first. */
  readonly requests: Request[] = [];
  readonly storage = new Storage();
  private readonly events = new EventTarget();

  constructor(readonly location: URL) {
    const go = (_: unknown, __: string, address: string): void => void (location.href = new URL(address, location.href).href);
    vi.stubGlobal("window", globalThis);
    vi.stubGlobal("parent", globalThis);
    vi.stubGlobal("location", location);
    vi.stubGlobal("document", { documentElement: { lang: "en" }, querySelector: () => null });
    vi.stubGlobal("history", { pushState: go, replaceState: go });
    vi.stubGlobal("sessionStorage", this.storage);
    vi.stubGlobal("addEventListener", this.events.addEventListener.bind(this.events));
    vi.stubGlobal("fetch", this.fetch);
  }

  dispatch(name: "online" | "popstate"): void {
    this.events.dispatchEvent(new Event(name));
  }

  /** Go to another address, as with the back button. */
  async goTo(address: string): Promise<void> {
    this.location.href = new URL(address, this.location.href).href;
    this.dispatch("popstate");
    await settle();
  }

  /** The last request to a path, which must be there. */
  last(path: RegExp): Request {
    const found = this.requests.filter((request) => path.test(request.path)).at(-1);
    if (found === undefined) throw new Error(`No request to ${path}: ${this.requests.map((request) => request.path).join(" ")}`);
    return found;
  }

  private readonly fetch = (path: string, init: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const signal = init.signal!;
      signal.addEventListener("abort", () => reject(signal.reason as Error));
      this.requests.push({
        method: init.method ?? "GET",
        path,
        body: typeof init.body === "string" ? JSON.parse(init.body) : undefined,
        signal,
        reply: (status, body, headers = {}) => {
          resolve(new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers }));
          return settle();
        },
        fail: () => {
          reject(new TypeError("Failed to fetch"));
          return settle();
        },
      });
    });
}

/** A page at an address, with timers that a test moves and modules that are loaded anew. */
export function openBrowser(address = "/"): Browser {
  vi.resetModules();
  return new Browser(new URL(address, "http://rather.test"));
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0.5); // no jitter
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
