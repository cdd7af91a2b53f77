import { beforeEach, expect, test, vi } from "vitest";
import { Connection, Problem } from "../src/connection";
import { type Browser, openBrowser, settle } from "./browser";

const LOST = "The server cannot be reached.";
const BUSY = "The server is very busy.";

let browser: Browser;
let connection: Connection;
const onWaiting = vi.fn<(reason: string | null) => void>();

beforeEach(() => {
  browser = openBrowser();
  onWaiting.mockReset();
  connection = new Connection(onWaiting);
});

const { signal: never } = new AbortController();

function get(signal = never): Promise<unknown> {
  const reply = connection.send({ method: "GET", path: "/v1/x" }, signal);
  reply.catch(() => {}); // a test may look at it later
  return reply;
}

/** The last request. */
function last() {
  return browser.last(/x/);
}

test("a reply is its body, and nothing waits", async () => {
  const reply = get();
  await last().reply(200, { a: 1 });
  expect(await reply).toEqual({ a: 1 });
  expect(onWaiting).not.toHaveBeenCalled();
});

test("a body is sent as JSON", async () => {
  void connection.send({ method: "PUT", path: "/v1/x", body: { k: 2 } }, never);
  expect(last()).toMatchObject({ method: "PUT", body: { k: 2 } });
});

test("a lost request is sent again, less and less often, until it succeeds", async () => {
  const reply = get();
  for (const [index, pause] of [400, 800, 1600, 3200, 6400, 8000, 8000].entries()) {
    await last().fail();
    await vi.advanceTimersByTimeAsync(pause - 1);
    expect(browser.requests).toHaveLength(index + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(browser.requests).toHaveLength(index + 2);
  }
  expect(onWaiting).toHaveBeenLastCalledWith(LOST);
  await last().reply(200, "1");
  expect(await reply).toBe(1);
  expect(onWaiting).toHaveBeenLastCalledWith(null);
});

test("a request without a reply is given up and sent again", async () => {
  void get();
  const first = last();
  await vi.advanceTimersByTimeAsync(40_000);
  expect(first.signal.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(400);
  expect(browser.requests).toHaveLength(2);
});

test("half a reply is none", async () => {
  const reply = get();
  await last().reply(200, '{"a": ');
  expect(onWaiting).toHaveBeenLastCalledWith(LOST);
  await vi.advanceTimersByTimeAsync(400);
  await last().reply(200, "{}");
  expect(await reply).toEqual({});
});

test("a busy server is asked again after as long as it says", async () => {
  void get();
  await last().reply(503, { code: "busy" }, { "Retry-After": "5" });
  expect(onWaiting).toHaveBeenLastCalledWith(BUSY);
  await vi.advanceTimersByTimeAsync(4999);
  expect(browser.requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(browser.requests).toHaveLength(2);
});

test.each(["retryNow", "online"] as const)("%s ends the pause", async (how) => {
  void get();
  await last().reply(503, { code: "busy" }, { "Retry-After": "60" });
  if (how === "online") browser.dispatch("online");
  else connection.retryNow();
  await settle();
  expect(browser.requests).toHaveLength(2);
});

test("a server that wants too long a pause is a problem", async () => {
  const reply = get();
  await last().reply(429, { code: "too-many-requests" }, { "Retry-After": "61" });
  await expect(reply).rejects.toThrow(Problem);
});

test("an internal error that stays is a problem", async () => {
  const reply = get();
  for (const pause of [400, 800]) {
    await last().reply(500, { code: "internal-error" });
    await vi.advanceTimersByTimeAsync(pause);
  }
  await last().reply(500, { code: "internal-error" });
  await expect(reply).rejects.toMatchObject({ status: 500, code: "internal-error" });
  expect(browser.requests).toHaveLength(3);
  expect(onWaiting).toHaveBeenLastCalledWith(null);
});

test("a problem is thrown at once with what the server says", async () => {
  const reply = get();
  await last().reply(404, { code: "unknown-session", detail: "Gone.", action: "Start again." });
  await expect(reply).rejects.toMatchObject({ status: 404, code: "unknown-session", message: "Gone." });
  expect(browser.requests).toHaveLength(1);
});

test("an error page of a proxy is a problem with words of ours", async () => {
  const reply = get();
  await last().reply(403, "<h1>Forbidden</h1>");
  await expect(reply).rejects.toMatchObject({ code: "unexpected", details: { status: 403 } });
});

test("while several requests wait the latest reason is shown, and none at the end", async () => {
  const slow = connection.send({ method: "GET", path: "/v1/slow" }, never);
  const fast = connection.send({ method: "GET", path: "/v1/fast" }, never);
  await browser.last(/slow/).fail();
  await browser.last(/fast/).reply(503, { code: "busy" });
  expect(onWaiting).toHaveBeenLastCalledWith(BUSY);
  await vi.advanceTimersByTimeAsync(400);
  await browser.last(/fast/).reply(200, "1");
  expect(onWaiting).toHaveBeenLastCalledWith(LOST);
  await browser.last(/slow/).reply(200, "2");
  expect(onWaiting).toHaveBeenLastCalledWith(null);
  expect(await Promise.all([slow, fast])).toEqual([2, 1]);
});

test("an aborted request is cancelled and not sent again", async () => {
  const abort = new AbortController();
  const reply = get(abort.signal);
  abort.abort();
  await expect(reply).rejects.toThrow("aborted");
  expect(last().signal.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(browser.requests).toHaveLength(1);
});

test("a request that is aborted in a pause is not sent again, and does not wait any more", async () => {
  const abort = new AbortController();
  const reply = get(abort.signal);
  await last().fail();
  expect(onWaiting).toHaveBeenLastCalledWith(LOST);
  abort.abort();
  await expect(reply).rejects.toThrow("aborted");
  expect(onWaiting).toHaveBeenLastCalledWith(null);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(browser.requests).toHaveLength(1);
});

test("a request that was aborted before is never sent", async () => {
  await expect(get(AbortSignal.abort())).rejects.toThrow("aborted");
  expect(browser.requests).toHaveLength(0);
});
