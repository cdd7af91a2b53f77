/** Where the page stands: in its address, so that a reload, the back button and a bookmark find the conversation. */

import type { NewSession } from "./types";

export type Place = { at: "start" } | { at: "session"; id: string } | { at: "shared"; token: string };

// Behind the `#`, an id that allows to answer is never sent to a server's log.
const SESSION = /^#\/session\/([\w-]{1,64})$/;
const SHARED = /^\/shared\/([\w-]{1,64})$/;

const asked = new URLSearchParams(location.search);
const framed = window.parent !== window;

/** The site that shows this page in a frame and wants to hear from it, as `embed.js` names it; else null. */
export const host: string | null = framed ? asked.get("parent") : null;

export function here(): Place {
  const token = SHARED.exec(location.pathname)?.[1];
  if (token !== undefined) return { at: "shared", token };
  const session = SESSION.exec(location.hash)?.[1];
  return session !== undefined ? { at: "session", id: session } : { at: "start" };
}

/** Show another place in the address; as a new entry of the browser's history, or in place of the present one. */
export function go(place: Place, entry: "new" | "same"): void {
  const page = SHARED.test(location.pathname) ? "/" : location.pathname + location.search;
  const address = place.at === "shared" ? `/shared/${place.token}` : place.at === "session" ? `${page}#/session/${place.id}` : page;
  if (entry === "new") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

/** A link to the read-only view. */
export function shareLink(token: string): string {
  return new URL(`/shared/${token}`, location.href).href;
}

/** The settings of a conversation that the page's address asks for, such as `?catalog=films&k=3`. */
export function wanted(): NewSession {
  const settings: NewSession = {};
  const catalog = asked.get("catalog");
  if (catalog) settings.catalog = catalog;
  const kind = asked.get("ask");
  if (kind === "items" || kind === "attributes" || kind === "auto") settings.ask = kind;
  for (const name of ["k", "p", "questions", "seed"] as const) {
    const text = asked.get(name) ?? "";
    if (/^\d{1,15}$/.test(text)) settings[name] = Number(text);
  }
  return settings;
}
