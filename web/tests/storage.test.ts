import { expect, test, vi } from "vitest";
import { store, stored, unstore } from "../src/storage";
import { openBrowser } from "./browser";

test("what is stored can be read by its owner until it is removed", () => {
  openBrowser();
  store("pending", "one", { question: "1-1", choice: 0 });
  expect(stored("pending", "one")).toEqual({ question: "1-1", choice: 0 });
  expect(stored("pending", "two")).toBeNull();
  unstore("pending", "one");
  expect(stored("pending", "one")).toBeNull();
});

test("a browser that stores nothing is no error", () => {
  const forbidden = (): never => {
    throw new Error("forbidden");
  };
  vi.stubGlobal("sessionStorage", { getItem: forbidden, setItem: forbidden, removeItem: forbidden });
  store("keys", "", "off");
  expect(stored("keys", "")).toBeNull();
  unstore("keys", "");
});

test("what others have put there is ignored", () => {
  openBrowser().storage.setItem("rather:keys:", "{not JSON");
  expect(stored("keys", "")).toBeNull();
});
