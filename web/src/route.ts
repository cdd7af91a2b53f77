/** What the address of the page says, so that a reload, the back button and a bookmark find the conversation. */

import { published } from "./published";
import type { NewSession } from "./types";

export type Route = { to: "start" } | { to: "session"; id: string } | { to: "shared"; token: string };

// Behind the `#`, because who has the id may answer, and what stands there never reaches the log of a server.
const SESSION = /^#\/session\/([\w-]{1,64})$/;
const SHARED = /^\/shared\/([\w-]{1,64})$/;
// A published page has no server that could know what is shared: the link itself holds it.
const SHARED_HERE = /^#\/shared\/([\w-]{1,8000})$/;

const query = new URLSearchParams(location.search);
const framed = window.parent !== window;

/** The origin of the site that embeds this page, as `embed.js` passes it; null when the page is not embedded. */
export const hostOrigin: string | null = framed ? query.get("parent") : null;

/** The language that the address asks for, such as `?language=de`; otherwise that of the browser is taken. */
export const requestedLanguage: string | null = query.get("language");

export function currentRoute(): Route {
  const token = published === null ? SHARED.exec(location.pathname)?.[1] : SHARED_HERE.exec(location.hash)?.[1];
  if (token !== undefined) return { to: "shared", token };
  const id = SESSION.exec(location.hash)?.[1];
  return id !== undefined ? { to: "session", id } : { to: "start" };
}

/** Put a route into the address, as a new entry of the browser's history or instead of the current one. */
export function navigate(route: Route, entry: "push" | "replace"): void {
  const page = published === null && SHARED.test(location.pathname) ? "/" : location.pathname + location.search;
  const shared = published === null ? "/shared/" : `${page}#/shared/`;
  const address = route.to === "shared" ? shared + route.token : route.to === "session" ? `${page}#/session/${route.id}` : page;
  if (entry === "push") history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}

/** A link to the read-only view. */
export function shareLink(token: string): string {
  return new URL(published === null ? `/shared/${token}` : `#/shared/${token}`, location.href).href;
}

// What a study notes of a session.
const STUDY = ["respondent", "campaign", "arm", "source"] as const;

/** The settings of a session that the address asks for, such as `?catalog=films&k=3`. */
export function requestedSettings(): NewSession {
  const settings: NewSession = {};
  const catalog = query.get("catalog");
  if (catalog) settings.catalog = catalog;
  if (requestedLanguage === "en" || requestedLanguage === "de" || requestedLanguage === "fr" || requestedLanguage === "es") settings.language = requestedLanguage;
  const kind = query.get("ask");
  if (kind === "items" || kind === "attributes" || kind === "auto") settings.ask = kind;
  for (const name of ["where", "strategy", ...STUDY] as const) {
    const text = query.get(name);
    if (text) settings[name] = text;
  }
  for (const name of ["k", "p", "questions", "seed"] as const) {
    const text = query.get(name) ?? "";
    if (/^\d{1,15}$/.test(text)) settings[name] = Number(text);
  }
  return settings;
}

/** Names the settings that the address asks for: a page may embed several conversations. */
export function settingsKey(): string {
  return JSON.stringify(requestedSettings());
}
