import { expect, test } from "vitest";
import { type Browser, openBrowser, settle } from "./browser";
import { history, PROBLEM, session } from "./sessions";

const CATALOGS = { catalogs: [{ name: "films", items: 360, item: "film" }] };
const SESSION = /sessions\/one$/;
const ANSWERS = /answers$/;

/** A page at an address, before the server has replied. */
async function open(address = "/") {
  const browser = openBrowser(address);
  const { Conversation } = await import("../src/conversation");
  const conversation = new Conversation();
  void conversation.followAddress();
  await settle();
  return { browser, conversation };
}

/** A page that shows a session. */
async function resumed(shown = session()) {
  const opened = await open("/#/session/one");
  await opened.browser.last(SESSION).reply(200, shown);
  return opened;
}

function pending(browser: Browser): unknown {
  return JSON.parse(browser.storage.getItem("rather:pending:one") ?? "null");
}

test("the only catalogue is asked about at once, and the address names the session", async () => {
  const { browser, conversation } = await open("/?k=3");
  await browser.last(/catalogs$/).reply(200, CATALOGS);
  const opened = browser.last(/sessions$/);
  expect(opened).toMatchObject({ method: "POST", body: { catalog: "films", k: 3 } });
  await opened.reply(201, session());
  expect(conversation.state.screen).toBe("asking");
  expect(browser.location.href).toBe("http://rather.test/?k=3#/session/one");
});

test("several catalogues are offered", async () => {
  const { browser, conversation } = await open();
  await browser.last(/catalogs$/).reply(200, { catalogs: [...CATALOGS.catalogs, { name: "books", items: 1, item: "book" }] });
  expect(conversation.state.screen).toBe("choosing");
  expect(conversation.state.catalogs).toHaveLength(2);
});

test("a share link shows results to read only", async () => {
  const { browser, conversation } = await open("/shared/share-one");
  await browser.last(/shared\/share-one$/).reply(200, session({ id: null, answers: 2 }));
  expect(conversation.state).toMatchObject({ screen: "results", readOnly: true });
  expect(browser.last(/history$/).path).toBe("/v1/shared/share-one/history");
  const sent = browser.requests.length;
  await conversation.answer(0);
  await conversation.undo();
  expect(browser.requests).toHaveLength(sent);
});

test("an answer is stored until the server has it, and leads to the next question", async () => {
  const { browser, conversation } = await resumed();
  void conversation.answer(1);
  expect(conversation.state.sending).toBe(1);
  expect(pending(browser)).toEqual({ question: "1-0", choice: 1 });
  expect(browser.last(ANSWERS).body).toEqual({ question: "1-0", choice: 1 });
  await browser.last(ANSWERS).reply(200, { session: session({ answers: 1 }) });
  expect(conversation.state).toMatchObject({ sending: null, session: { answers: 1 }, regrets: [1, 0.5] });
  expect(pending(browser)).toBeNull();
});

test("one answer is sent at a time, and only one that may be given", async () => {
  const { browser, conversation } = await resumed();
  void conversation.answer(5);
  void conversation.answer(0);
  void conversation.answer(1);
  void conversation.undo();
  expect(browser.requests.filter((request) => request.method !== "GET").map((request) => request.body)).toEqual([
    { question: "1-0", choice: 0 },
  ]);
});

test("an answer that was on its way is sent again after a reload", async () => {
  const { browser, conversation } = await resumed();
  void conversation.answer(1);
  await browser.last(ANSWERS).fail();
  await browser.goTo("/#/session/one");
  expect(browser.last(ANSWERS).body).toEqual({ question: "1-0", choice: 1 });
  await browser.last(ANSWERS).reply(200, { session: session({ answers: 1 }) });
  await browser.last(SESSION).reply(200, session({ answers: 1 }));
  expect(conversation.state.session?.answers).toBe(1);
  expect(pending(browser)).toBeNull();
});

test("what has changed in the catalogue is said until the next answer", async () => {
  const { browser, conversation } = await resumed();
  const changes = ["The catalogue has changed.", "No longer there: Alien."];
  void conversation.answer(1);
  await browser.last(ANSWERS).reply(409, { ...PROBLEM, code: "stale-question" });
  await browser.last(SESSION).reply(200, session({ version: 1, catalog_changes: changes }));
  expect(conversation.state.notice).toBe("The catalogue has changed. No longer there: Alien.");
  void conversation.answer(0);
  await browser.last(ANSWERS).reply(200, { session: session({ answers: 1 }) });
  expect(conversation.state.notice).toBeNull();
});

test("a session that can only be read is shown with its answers", async () => {
  const { browser, conversation } = await resumed();
  await browser.goTo("/#/session/one");
  const stop = { code: "catalog-gone" as const, text: "It is no longer served." };
  await browser.last(SESSION).reply(200, session({ answers: 2, question: null, stop, stop_reason: stop.text }));
  expect(conversation.state).toMatchObject({ screen: "results", problem: null });
});

test("when the session has moved on elsewhere, its current state is shown with a notice", async () => {
  const { browser, conversation } = await resumed();
  void conversation.answer(1);
  await browser.last(ANSWERS).reply(409, { ...PROBLEM, code: "answer-conflict" });
  await browser.last(SESSION).reply(200, session({ answers: 3 }));
  expect(conversation.state).toMatchObject({ screen: "asking", sending: null, session: { answers: 3 } });
  expect(conversation.state.notice).toContain("another window");
  conversation.dismissNotice();
  expect(conversation.state.notice).toBeNull();
});

test("a problem that stays is shown", async () => {
  const { browser, conversation } = await open("/#/session/one");
  await browser.last(SESSION).reply(404, { ...PROBLEM, code: "unknown-session" });
  expect(conversation.state).toMatchObject({ screen: "problem", problem: { code: "unknown-session" } });
});

test("the conversation ends when the server says so, and goes on when the person wants", async () => {
  const stop = { code: "regret", text: "" } as const;
  const { browser, conversation } = await resumed();
  void conversation.answer(0);
  await browser.last(ANSWERS).reply(200, { session: session({ answers: 1, stop }) });
  expect(conversation.state.screen).toBe("results");
  conversation.continueAsking();
  void conversation.answer(0);
  await browser.last(ANSWERS).reply(200, { session: session({ answers: 2, stop }) });
  expect(conversation.state.screen).toBe("asking");
  conversation.finish();
  expect(conversation.state.screen).toBe("results");
});

test("a study ends when the server says so, whatever the person wants", async () => {
  const study = { minimum: 1, maximum: 3, finished: true, results: false, automatic: false, text: null, redirect: null };
  const { conversation } = await resumed(session({ answers: 3, stop: { code: "questions", text: "" }, study }));
  expect(conversation.state.screen).toBe("results");
});

test("undo at the end asks again", async () => {
  const { browser, conversation } = await resumed(session({ answers: 2, stop: { code: "regret", text: "" } }));
  expect(conversation.state.screen).toBe("results");
  void conversation.undo();
  expect(browser.last(/undo$/).body).toEqual({ answer: "a2" });
  await browser.last(/undo$/).reply(200, session({ answers: 1, version: 3, stop: { code: "regret", text: "" } }));
  expect(conversation.state.screen).toBe("asking");
});

test("the regrets of earlier answers are filled in", async () => {
  const { browser, conversation } = await resumed(session({ answers: 3, expected_regret: 0.3 }));
  expect(conversation.state.regrets).toEqual([1, undefined, undefined, 0.3]);
  await browser.last(/history$/).reply(200, history(1, [0.8, 0.6, 0.4]));
  expect(conversation.state).toMatchObject({ regrets: [1, 0.8, 0.6, 0.3], stopsAt: 0.1 });
});

test("other filters mean other regrets", async () => {
  const { browser, conversation } = await resumed(session({ answers: 2 }));
  await browser.last(/history$/).reply(200, history(1, [0.8, 0.6]));
  void conversation.setFilters([{ attribute: "year", minimum: 2000 }]);
  expect(browser.last(/filters$/).body).toEqual({ filters: [{ attribute: "year", minimum: 2000 }], where: null });
  await browser.last(/filters$/).reply(200, session({ answers: 2, version: 3, start_regret: 0.5, expected_regret: 0.2 }));
  expect(conversation.state.regrets).toEqual([0.5, undefined, 0.2]);
  await browser.last(/history$/).reply(200, history(0.5, [0.3, 0.2]));
  expect(conversation.state.regrets).toEqual([0.5, 0.3, 0.2]);
});

test("filters that the server rejects are thrown and change nothing", async () => {
  const { browser, conversation } = await resumed();
  const set = conversation.setFilters([{ attribute: "year", minimum: 9999 }]);
  void browser.last(/filters$/).reply(422, { ...PROBLEM, code: "invalid-request" });
  await expect(set).rejects.toThrow("It says why.");
  expect(conversation.state).toMatchObject({ screen: "asking", sending: null });
});

test("a hint is sent once, and whoever looks at the results goes on looking at them", async () => {
  const { browser, conversation } = await resumed(session({ answers: 2, hints: 0 }));
  conversation.finish();
  void conversation.hint({ says: "want", attribute: "funny" });
  void conversation.hint({ says: "want", attribute: "dark" }); // one at a time
  const sent = browser.last(/hints$/);
  expect(sent).toMatchObject({ method: "POST", body: { says: "want", attribute: "funny" } });
  await sent.reply(200, session({ answers: 2, hints: 1, version: 3, last_answer: "a3" }));
  expect(conversation.state).toMatchObject({ screen: "results", sending: null, session: { hints: 1 } });
  expect(browser.requests.filter((request) => request.path.endsWith("/hints"))).toHaveLength(1);
});

test("undoing a hint at the end stays there", async () => {
  const { browser, conversation } = await resumed(session({ answers: 2, hints: 1 }));
  conversation.finish();
  void conversation.undo();
  await browser.last(/undo$/).reply(200, session({ answers: 2, hints: 0, version: 3 }));
  expect(conversation.state.screen).toBe("results");
});

test("answers that were undone have no regret", async () => {
  const { browser, conversation } = await resumed(session({ answers: 2 }));
  const loaded = history(1, [0.8, 0.6, 0.4]);
  loaded.turns[0]!.undone = true;
  await browser.last(/history$/).reply(200, loaded);
  expect(conversation.state.regrets[1]).toBe(0.6);
});

test("a history from before the filters does not mix with the one after", async () => {
  const { browser, conversation } = await resumed(session({ answers: 2 }));
  const old = browser.last(/history$/);
  void conversation.setFilters([]);
  await browser.last(/filters$/).reply(200, session({ answers: 2, version: 3, start_regret: 0.5, expected_regret: 0.2 }));
  await old.reply(200, history(1, [0.8, 0.6], 0.1));
  await browser.last(/history$/).reply(200, history(0.5, [0.3, 0.2], 0.05));
  expect(conversation.state).toMatchObject({ regrets: [0.5, 0.3, 0.2], stopsAt: 0.05 });
});

test("a history that comes too late does not replace a newer one", async () => {
  const { browser, conversation } = await resumed(session({ answers: 2 }));
  const old = browser.last(/history$/);
  void conversation.setFilters([]);
  await browser.last(/filters$/).reply(200, session({ answers: 2, version: 3 }));
  await browser.last(/history$/).reply(200, history(1, [0.3, 0.2], 0.05));
  await old.reply(200, history(1, [0.8, 0.6], 0.1));
  expect(conversation.state.stopsAt).toBe(0.05);
});

test("filters that are still being sent do not bring back a session that the person has left", async () => {
  const { browser, conversation } = await resumed();
  void conversation.setFilters([]);
  const old = browser.last(/filters$/);
  await browser.goTo("/#/session/two");
  await browser.last(/sessions\/two$/).reply(200, session({ id: "two", share: "share-two" }));
  await old.reply(200, session({ version: 1 }));
  expect(conversation.state.session?.id).toBe("two");
});

test("while filters are being sent nothing else is", async () => {
  const { browser, conversation } = await resumed(session({ answers: 1 }));
  void conversation.setFilters([]);
  void conversation.setFilters([{ attribute: "year", minimum: 2000 }]);
  void conversation.answer(0);
  void conversation.undo();
  expect(browser.requests.filter((request) => request.method !== "GET").map((request) => request.method)).toEqual(["PUT"]);
  await browser.last(/filters$/).reply(200, session({ answers: 1, version: 2 }));
  void conversation.answer(0);
  expect(browser.last(ANSWERS).body).toEqual({ question: "2-2", choice: 0 });
});

test("catalogues that come too late do not replace what the person went to meanwhile", async () => {
  const { browser, conversation } = await open();
  const old = browser.last(/catalogs$/);
  await browser.goTo("/#/session/one");
  await browser.last(SESSION).reply(200, session());
  await old.reply(200, CATALOGS);
  expect(browser.requests.some((request) => request.method === "POST")).toBe(false);
  expect(conversation.state).toMatchObject({ screen: "asking", session: { id: "one" } });
});

test("leaving a session cancels every request about it", async () => {
  const { browser, conversation } = await resumed();
  void conversation.answer(0);
  const before = [...browser.requests.filter((request) => !SESSION.test(request.path))];
  expect(before.map((request) => request.path.split("/").at(-1)).sort()).toEqual(["answers", "attributes", "history"]);
  await browser.goTo("/#/session/two");
  expect(before.every((request) => request.signal.aborted)).toBe(true);
});

test("an undo that was cut short does not change the screen that the person went to", async () => {
  const stop = { code: "regret", text: "" } as const;
  const { browser, conversation } = await resumed(session({ answers: 1 }));
  const undone = conversation.undo();
  await browser.goTo("/#/session/two");
  await browser.last(/sessions\/two$/).reply(200, session({ id: "two", answers: 3, stop }));
  await undone;
  expect(conversation.state.screen).toBe("results");
});

test("an undo that is too late stays at the results, which follow the other window", async () => {
  const stop = { code: "regret", text: "" } as const;
  const { browser, conversation } = await resumed(session({ answers: 2, stop }));
  void conversation.undo();
  await browser.last(/undo$/).reply(409, { ...PROBLEM, code: "not-the-last-answer" });
  await browser.last(SESSION).reply(200, session({ answers: 3, stop }));
  expect(conversation.state).toMatchObject({ screen: "results", session: { answers: 3 } });
  expect(conversation.state.notice).toContain("another window");
});
