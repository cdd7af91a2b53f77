import { expect, test, vi } from "vitest";
import { Problem } from "../src/connection";
import { Latest } from "../src/latest";
import { settle } from "./browser";
import { PROBLEM } from "./sessions";

/** A request whose reply the test sends. */
function request() {
  let reply!: (value: string) => void;
  let fail!: (error: Error) => void;
  const promise = new Promise<string>((resolve, reject) => ([reply, fail] = [resolve, reject]));
  const send = vi.fn<(signal: AbortSignal) => Promise<string>>(() => promise);
  const signal = (): AbortSignal => send.mock.calls[0]![0];
  return { send, signal, reply, fail };
}

test("a reply is used", async () => {
  const [one, use] = [request(), vi.fn()];
  new Latest().load(one.send, use);
  one.reply("one");
  await settle();
  expect(use.mock.calls).toEqual([["one"]]);
});

test("a newer request aborts the older one, whose reply is not used even if it comes", async () => {
  const [one, two, use, latest] = [request(), request(), vi.fn(), new Latest()];
  latest.load(one.send, use);
  latest.load(two.send, use);
  expect(one.signal().aborted).toBe(true);
  expect(two.signal().aborted).toBe(false);
  two.reply("two");
  one.reply("one");
  await settle();
  expect(use.mock.calls).toEqual([["two"]]);
});

test("a cancelled request is not used, and another can follow", async () => {
  const [one, two, use, latest] = [request(), request(), vi.fn(), new Latest()];
  latest.load(one.send, use);
  latest.cancel();
  one.reply("one");
  await settle();
  expect(use).not.toHaveBeenCalled();
  latest.load(two.send, use);
  two.reply("two");
  await settle();
  expect(use.mock.calls).toEqual([["two"]]);
});

test("a problem leaves everything as it was", async () => {
  const [one, use] = [request(), vi.fn()];
  new Latest().load(one.send, use);
  one.fail(new Problem(404, { ...PROBLEM, code: "unknown-session" }));
  await settle();
  expect(use).not.toHaveBeenCalled();
});
