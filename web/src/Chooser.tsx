import type { Conversation } from "./conversation";
import { useHeadingFocus } from "./focus";
import { t } from "./messages";
import { said, theme } from "./theme";
import type { Catalog } from "./types";
import { plural } from "./words";

export function Chooser({ catalogs, conversation }: { catalogs: Catalog[]; conversation: Conversation }) {
  const heading = useHeadingFocus();
  return (
    <div class="chooser">
      <h1 ref={heading} tabIndex={-1}>
        {said(theme.greeting) ?? t("chooser.title")}
      </h1>
      <ul class="catalogs">
        {catalogs.map((catalog) => (
          <li key={catalog.name}>
            <button type="button" onClick={() => void conversation.start(catalog.name)}>
              <span class="name">{catalog.name}</span>
              <span class="count">{t("chooser.count", { count: catalog.items, nouns: plural(catalog.items, catalog.item) })}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
