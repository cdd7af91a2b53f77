/** Where a configuration can be changed, and where it stands once it was. */

import type { Client } from "./api";
import type { State } from "./conversation";
import type { Recommendation, Session } from "./types";

/** Whether the items of a session's catalogue are configurations. */
export function isConfigured(state: Pick<State, "catalogs">, session: Session): boolean {
  return state.catalogs.find((each) => each.name === session.catalog)?.adjustable ?? false;
}

/** Whether the person may change what is recommended: no reader may, nobody in a study, and no published page can. */
export function isAdjustable(state: Pick<State, "catalogs" | "readOnly">, session: Session, api: Pick<Client, "adjustment">): boolean {
  return isConfigured(state, session) && !state.readOnly && !session.study && api.adjustment !== undefined;
}

/** What the person made comes before what is recommended, and is not listed twice. */
export function adjustedFirst(session: Session, items: Recommendation[]): Recommendation[] {
  const adjusted = session.adjusted ?? null;
  return adjusted === null ? items : [adjusted, ...items.filter((item) => item.id !== adjusted.id)];
}
