/** The REST API, with paths and bodies checked against the server's OpenAPI description when the page is built. */

import type { paths } from "../generated/schema";
import type { Connection } from "./connection";
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

export class Api {
  constructor(private readonly connection: Connection) {}

  async catalogs(): Promise<wire.Catalog[]> {
    return (await this.read("/v1/catalogs", {})).catalogs;
  }

  attributes(catalog: string): Promise<wire.Attributes> {
    return this.read("/v1/catalogs/{name}/attributes", { name: catalog });
  }

  /** Open a session. The key makes a repeated request return the same one. */
  open(settings: wire.NewSession, key: string, signal?: AbortSignal): Promise<wire.Session> {
    return this.write("post", "/v1/sessions", {}, settings, { "Idempotency-Key": key }, signal);
  }

  session(ref: SessionRef, signal?: AbortSignal): Promise<wire.Session> {
    return "session" in ref
      ? this.read("/v1/sessions/{id}", { id: ref.session }, signal)
      : this.read("/v1/shared/{token}", { token: ref.share }, signal);
  }

  async answer(session: string, question: string, choice: wire.Choice, signal?: AbortSignal): Promise<wire.Session> {
    const path = "/v1/sessions/{id}/answers";
    return (await this.write("post", path, { id: session }, { question, choice }, {}, signal)).session;
  }

  undo(session: string, answer: string, signal?: AbortSignal): Promise<wire.Session> {
    return this.write("post", "/v1/sessions/{id}/undo", { id: session }, { answer }, {}, signal);
  }

  filter(session: string, filters: wire.Filter[], where: string | null): Promise<wire.Session> {
    return this.write("put", "/v1/sessions/{id}/filters", { id: session }, { filters, where });
  }

  recommendations(ref: SessionRef, limit: number, offset: number): Promise<wire.Recommendations> {
    const query = `?limit=${limit}&offset=${offset}`;
    return "session" in ref
      ? this.read("/v1/sessions/{id}/recommendations", { id: ref.session }, undefined, query)
      : this.read("/v1/shared/{token}/recommendations", { token: ref.share }, undefined, query);
  }

  history(ref: SessionRef): Promise<wire.History> {
    return "session" in ref
      ? this.read("/v1/sessions/{id}/history", { id: ref.session })
      : this.read("/v1/shared/{token}/history", { token: ref.share });
  }

  profile(ref: SessionRef): Promise<wire.Profile> {
    return "session" in ref
      ? this.read("/v1/sessions/{id}/profile", { id: ref.session })
      : this.read("/v1/shared/{token}/profile", { token: ref.share });
  }

  private read<P extends keyof paths>(
    path: P,
    parts: Record<string, string>,
    signal?: AbortSignal,
    query = "",
  ): Promise<Reply<P, "get">> {
    return this.connection.send({ method: "GET", path: fillIn(path, parts) + query }, signal) as Promise<Reply<P, "get">>;
  }

  private write<P extends keyof paths, M extends "post" | "put">(
    method: M,
    path: P,
    parts: Record<string, string>,
    body: Body<P, M>,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Reply<P, M>> {
    const verb = method === "post" ? "POST" : "PUT";
    return this.connection.send({ method: verb, path: fillIn(path, parts), body, headers }, signal) as Promise<Reply<P, M>>;
  }
}

/** A path with its parameters filled in. */
function fillIn(path: string, parts: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name] ?? ""));
}
