import { useState } from "preact/hooks";
import { postAction } from "./host";
import { t } from "./messages";
import { hostOrigin } from "./route";
import { said, theme } from "./theme";
import type { Recommendation, Session } from "./types";

/** A link to the page of an item, in a new tab, which learns nothing of this one. */
export function PageLink({ item }: { item: { label: string; link?: string | null } }) {
  if (!item.link) return null;
  const text = said(theme.link) ?? t("item.page");
  return (
    <a class="page-link" href={item.link} target="_blank" rel="noopener noreferrer nofollow" aria-label={t("item.pageSpoken", { text, label: item.label })}>
      {text}
      <span aria-hidden="true">{"\u00a0"}↗</span>
    </a>
  );
}

/** What one can do with a recommended item: open its page, and press the owner's button, of which the page around hears. */
export function ItemLinks({ item, session }: { item: Recommendation; session: Session }) {
  const action = hostOrigin === null ? null : said(theme.action);
  if (!item.link && action === null) return null;
  return (
    <p class="item-links">
      {action !== null && <Action text={action} item={item} session={session} />}
      <PageLink item={item} />
    </p>
  );
}

function Action({ text, item, session }: { text: string; item: Recommendation; session: Session }) {
  const [done, setDone] = useState(false);
  const shown = done ? (said(theme.actionDone) ?? `${text} ✓`) : text;
  const press = (): void => {
    setDone(true);
    postAction(session, item);
  };
  return (
    <button type="button" class="action" aria-label={t("item.action", { text: shown, label: item.label })} onClick={press}>
      {shown}
    </button>
  );
}
