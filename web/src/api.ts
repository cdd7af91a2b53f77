/** The REST API, with paths and bodies checked against the server's OpenAPI description when the page is built. */

import type { Connection } from "./connection";
import type { paths } from "../generated/schema";
import type * as wire from "./types";

type Method = "get" | "post" | "put";
type Json<T> = T extends { content: { "application/json": infer Body } } ? Body : never;
type Reply<P extends keyof paths, M extends Method> = paths[P][M] extends { responses: infer R }
  ? Json<R[keyof R & (200 | 201)]>
  : never;
type Body<P extends keyof paths, M extends Method> = paths[P][M] extends { requestBody?: infer R }
  ? Json<NonNullable<R>>
  : never;

/** Where a conversation is read from: its own address, or the one that was shared. */
export type Whose = { session: string } | { share: string };

export class Api {
  constructor(private readonly connection: Connection) {}

  async catalogs(): Promise<wire.Catalog[]> {
    return (await this.get("/v1/catalogs", {})).catalogs;
  }

  attributes(catalog: string): Promise<wire.Attributes> {
    return this.get("/v1/catalogs/{name}/attributes", { name: catalog });
  }

  /** Open a session. The key makes a repeated request return the same one. */
  open(wanted: wire.NewSession, key: string, signal?: AbortSignal): Promise<wire.Session> {
    return this.change("post", "/v1/sessions", {}, wanted, { "Idempotency-Key": key }, signal);
  }

  session(whose: Whose, signal?: AbortSignal): Promise<wire.Session> {
    return "session" in whose
      ? this.get("/v1/sessions/{id}", { id: whose.session }, signal)
      : this.get("/v1/shared/{token}", { token: whose.share }, signal);
  }

  async answer(session: string, question: string, choice: wire.Choice, signal?: AbortSignal): Promise<wire.Session> {
    const path = "/v1/sessions/{id}/answers";
    return (await this.change("post", path, { id: session }, { question, choice }, {}, signal)).session;
  }

  undo(session: string, answer: string, signal?: AbortSignal): Promise<wire.Session> {
    return this.change("post", "/v1/sessions/{id}/undo", { id: session }, { answer }, {}, signal);
  }

  filter(session: string, filters: wire.Filter[], where: string | null): Promise<wire.Session> {
    return this.change("put", "/v1/sessions/{id}/filters", { id: session }, { filters, where });
  }

  recommendations(whose: Whose, limit: number, offset: number): Promise<wire.Recommendations> {
    const query = `?limit=${limit}&offset=${offset}`;
    return "session" in whose
      ? this.get("/v1/sessions/{id}/recommendations", { id: whose.session }, undefined, query)
      : this.get("/v1/shared/{token}/recommendations", { token: whose.share }, undefined, query);
  }

  history(whose: Whose): Promise<wire.History> {
    return "session" in whose
      ? this.get("/v1/sessions/{id}/history", { id: whose.session })
      : this.get("/v1/shared/{token}/history", { token: whose.share });
  }

  profile(whose: Whose): Promise<wire.Profile> {
    return "session" in whose
      ? this.get("/v1/sessions/{id}/profile", { id: whose.session })
      : this.get("/v1/shared/{token}/profile", { token: whose.share });
  }

  private get<P extends keyof paths>(
    path: P,
    parts: Record<string, string>,
    signal?: AbortSignal,
    query = "",
  ): Promise<Reply<P, "get">> {
    return this.connection.send({ method: "GET", path: filled(path, parts) + query }, signal) as Promise<Reply<P, "get">>;
  }

  private change<P extends keyof paths, M extends "post" | "put">(
    method: M,
    path: P,
    parts: Record<string, string>,
    body: Body<P, M>,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Reply<P, M>> {
    const verb = method === "post" ? "POST" : "PUT";
    return this.connection.send({ method: verb, path: filled(path, parts), body, headers }, signal) as Promise<Reply<P, M>>;
  }
}

/** The address of a path with its parts in place. */
function filled(path: string, parts: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name] ?? ""));
}
