/** The REST API, with paths and bodies checked against the server's OpenAPI description when the page is built. */

import type { paths } from "../generated/schema";
import type { Connection } from "./connection";
import { requestedLanguage } from "./route";
import type * as wire from "./types";

type Method = "get" | "post" | "put";
type Json<T> = T extends { content: { "application/json": infer Body } } ? Body : never;
type Reply<P extends keyof paths, M extends Method> = paths[P][M] extends { responses: infer R }
  ? Json<R[keyof R & (200 | 201)]>
  : never;
type Body<P extends keyof paths, M extends Method> = paths[P][M] extends { requestBody?: infer R }
  ? Json<NonNullable<R>>
  : never;

/** A session by its own id, or by the token that was shared. */
export type SessionRef = { session: string } | { share: string };

export function refOf(session: wire.Session): SessionRef {
  return session.id ? { session: session.id } : { share: session.share };
}

/**
 * What the page asks for, of a server or of the engine in a published page. Every request takes a signal, so that whoever
 * sends it has to say when its reply is no longer wanted.
 */
export interface Client {
  catalogs(signal: AbortSignal): Promise<wire.Catalog[]>;
  attributes(catalog: string, signal: AbortSignal): Promise<wire.Attributes>;
  /** Open a session. The key makes a repeated request return the same one. */
  open(settings: wire.NewSession, key: string, signal: AbortSignal): Promise<wire.Session>;
  session(ref: SessionRef, signal: AbortSignal): Promise<wire.Session>;
  answer(session: string, question: string, choice: wire.Choice, signal: AbortSignal): Promise<wire.Session>;
  /** Say something unasked. The key makes a repeated request say it once. */
  hint(session: string, hint: wire.NewHint, key: string, signal: AbortSignal): Promise<wire.Session>;
  /** A configuration with some choices changed, and what else could be. Only where a catalogue is `adjustable`. */
  adjustment?(session: string, item: wire.Item, wanted: wire.Wanted[], signal: AbortSignal): Promise<wire.Adjustment>;
  undo(session: string, answer: string, signal: AbortSignal): Promise<wire.Session>;
  /** Answer an earlier question otherwise. The key makes a repeated request do so once. */
  revise(session: string, answer: string, choice: wire.Choice, key: string, signal: AbortSignal): Promise<wire.Session>;
  /** Answers that hardly fit together. */
  contradictions(session: string, signal: AbortSignal): Promise<wire.Contradiction[]>;
  /** Set the filters. The key makes a repeated request set them once. */
  filter(session: string, filters: wire.Filter[], where: string | null, key: string, signal: AbortSignal): Promise<wire.Session>;
  recommendations(ref: SessionRef, limit: number, offset: number, signal: AbortSignal): Promise<wire.Recommendations>;
  history(ref: SessionRef, signal: AbortSignal): Promise<wire.History>;
  profile(ref: SessionRef, signal: AbortSignal): Promise<wire.Profile>;
  /** The person looks at the results. A server knows all of the conversation already. */
  finished?(session: string): void;
}

/** The client of a server. */
export class Api implements Client {
  constructor(private readonly connection: Connection) {}

  async catalogs(signal: AbortSignal): Promise<wire.Catalog[]> {
    return (await this.read("/v1/catalogs", {}, signal)).catalogs;
  }

  attributes(catalog: string, signal: AbortSignal): Promise<wire.Attributes> {
    return this.read("/v1/catalogs/{name}/attributes", { name: catalog }, signal);
  }

  open(settings: wire.NewSession, key: string, signal: AbortSignal): Promise<wire.Session> {
    return this.write("post", "/v1/sessions", {}, settings, signal, { "Idempotency-Key": key });
  }

  session(ref: SessionRef, signal: AbortSignal): Promise<wire.Session> {
    return "session" in ref
      ? this.read("/v1/sessions/{id}", { id: ref.session }, signal)
      : this.read("/v1/shared/{token}", { token: ref.share }, signal);
  }

  async answer(session: string, question: string, choice: wire.Choice, signal: AbortSignal): Promise<wire.Session> {
    const path = "/v1/sessions/{id}/answers";
    return (await this.write("post", path, { id: session }, { question, choice }, signal)).session;
  }

  hint(session: string, hint: wire.NewHint, key: string, signal: AbortSignal): Promise<wire.Session> {
    const headers = { "Idempotency-Key": key };
    return this.write("post", "/v1/sessions/{id}/hints", { id: session }, hint, signal, headers);
  }

  adjustment(session: string, item: wire.Item, wanted: wire.Wanted[], signal: AbortSignal): Promise<wire.Adjustment> {
    const query = `item=${encodeURIComponent(item)}&wanted=${encodeURIComponent(JSON.stringify(wanted))}`;
    return this.read("/v1/sessions/{id}/adjustment", { id: session }, signal, query);
  }

  undo(session: string, answer: string, signal: AbortSignal): Promise<wire.Session> {
    return this.write("post", "/v1/sessions/{id}/undo", { id: session }, { answer }, signal);
  }

  revise(session: string, answer: string, choice: wire.Choice, key: string, signal: AbortSignal): Promise<wire.Session> {
    const headers = { "Idempotency-Key": key };
    return this.write("put", "/v1/sessions/{id}/answers/{answer}", { id: session, answer }, { choice }, signal, headers);
  }

  async contradictions(session: string, signal: AbortSignal): Promise<wire.Contradiction[]> {
    return (await this.read("/v1/sessions/{id}/contradictions", { id: session }, signal)).contradictions;
  }

  filter(
    session: string,
    filters: wire.Filter[],
    where: string | null,
    key: string,
    signal: AbortSignal,
  ): Promise<wire.Session> {
    const headers = { "Idempotency-Key": key };
    return this.write("put", "/v1/sessions/{id}/filters", { id: session }, { filters, where }, signal, headers);
  }

  recommendations(ref: SessionRef, limit: number, offset: number, signal: AbortSignal): Promise<wire.Recommendations> {
    const query = `limit=${limit}&offset=${offset}`;
    return "session" in ref
      ? this.read("/v1/sessions/{id}/recommendations", { id: ref.session }, signal, query)
      : this.read("/v1/shared/{token}/recommendations", { token: ref.share }, signal, query);
  }

  history(ref: SessionRef, signal: AbortSignal): Promise<wire.History> {
    return "session" in ref
      ? this.read("/v1/sessions/{id}/history", { id: ref.session }, signal)
      : this.read("/v1/shared/{token}/history", { token: ref.share }, signal);
  }

  profile(ref: SessionRef, signal: AbortSignal): Promise<wire.Profile> {
    return "session" in ref
      ? this.read("/v1/sessions/{id}/profile", { id: ref.session }, signal)
      : this.read("/v1/shared/{token}/profile", { token: ref.share }, signal);
  }

  private read<P extends keyof paths>(
    path: P,
    parts: Record<string, string>,
    signal: AbortSignal,
    query = "",
  ): Promise<Reply<P, "get">> {
    return this.connection.send({ method: "GET", path: fillIn(path, parts, query) }, signal) as Promise<Reply<P, "get">>;
  }

  private write<P extends keyof paths, M extends "post" | "put">(
    method: M,
    path: P,
    parts: Record<string, string>,
    body: Body<P, M>,
    signal: AbortSignal,
    headers: Record<string, string> = {},
  ): Promise<Reply<P, M>> {
    const verb = method === "post" ? "POST" : "PUT";
    return this.connection.send({ method: verb, path: fillIn(path, parts), body, headers }, signal) as Promise<Reply<P, M>>;
  }
}

/** A path with its parameters filled in, and the language if the address of the page asks for one. */
function fillIn(path: string, parts: Record<string, string>, query = ""): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name] ?? ""));
  const wanted = requestedLanguage === null ? [] : [`language=${encodeURIComponent(requestedLanguage)}`];
  const all = [query, ...wanted].filter((part) => part !== "").join("&");
  return all === "" ? filled : `${filled}?${all}`;
}
