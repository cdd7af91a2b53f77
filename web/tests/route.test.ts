import { expect, test, vi } from "vitest";
import { openBrowser } from "./browser";

async function routeAt(address: string) {
  const browser = openBrowser(address);
  return { browser, ...(await import("../src/route")) };
}

test.each([
  ["/", { to: "start" }],
  ["/?catalog=films", { to: "start" }],
  ["/#/session/ab_C-1", { to: "session", id: "ab_C-1" }],
  ["/?catalog=films#/session/abc", { to: "session", id: "abc" }],
  ["/shared/abc", { to: "shared", token: "abc" }],
  ["/shared/abc#/session/xyz", { to: "shared", token: "abc" }],
  ["/#/session/", { to: "start" }],
  ["/#/session/a/b", { to: "start" }],
  [`/#/session/${"a".repeat(65)}`, { to: "start" }],
])("%s is a route", async (address, expected) => {
  const { currentRoute } = await routeAt(address);
  expect(currentRoute()).toEqual(expected);
});

test.each(["push", "replace"] as const)("to %s a session keeps the settings in the address", async (entry) => {
  const { browser, navigate, currentRoute } = await routeAt("/?catalog=films&k=3");
  navigate({ to: "session", id: "abc" }, entry);
  expect(browser.location.href).toBe("http://rather.test/?catalog=films&k=3#/session/abc");
  expect(currentRoute()).toEqual({ to: "session", id: "abc" });
  navigate({ to: "start" }, entry);
  expect(browser.location.href).toBe("http://rather.test/?catalog=films&k=3");
});

test("a session that starts at a share link leaves that address", async () => {
  const { browser, navigate } = await routeAt("/shared/token");
  navigate({ to: "session", id: "abc" }, "push");
  expect(browser.location.href).toBe("http://rather.test/#/session/abc");
});

test("a share link is absolute and holds only the token", async () => {
  const { shareLink } = await routeAt("/?catalog=films#/session/secret");
  expect(shareLink("token")).toBe("http://rather.test/shared/token");
});

test("settings come from the address", async () => {
  const { requestedSettings } = await routeAt("/?catalog=my%20films&k=3&p=2&questions=5&seed=7&ask=attributes");
  expect(requestedSettings()).toEqual({ catalog: "my films", k: 3, p: 2, questions: 5, seed: 7, ask: "attributes" });
});

test("what a study notes comes from the address, as it is written there", async () => {
  const { requestedSettings } = await routeAt("/?respondent=p%2D1%20%3D%C3%A4&campaign=spring&arm=b&source=");
  expect(requestedSettings()).toEqual({ respondent: "p-1 =ä", campaign: "spring", arm: "b" });
});

test("settings that make no sense are left out", async () => {
  const { requestedSettings } = await routeAt("/?catalog=&k=-1&p=2.5&questions=many&seed=1e3&ask=everything&other=1");
  expect(requestedSettings()).toEqual({});
});

test("only a frame has a host", async () => {
  expect((await routeAt("/embed?parent=https://shop.example")).hostOrigin).toBeNull();
  const browser = openBrowser("/embed?parent=https://shop.example");
  vi.stubGlobal("parent", {});
  expect(browser.location.search).toContain("parent");
  expect((await import("../src/route")).hostOrigin).toBe("https://shop.example");
});
