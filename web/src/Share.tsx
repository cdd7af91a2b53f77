import { useRef, useState } from "preact/hooks";
import { t } from "./messages";
import { shareLink } from "./route";
import { said, theme } from "./theme";
import type { Recommendation, Session } from "./types";
import { summary } from "./words";

// What fits into the address of an email.
const EMAILED = 5;

/** What one can do with the result: copy a link to it, send it, save it, print it. Nothing goes through others. */
export function Share({ session, items }: { session: Session; items: Recommendation[] }) {
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);
  const link = shareLink(session.share);
  const title = said(theme.title) ?? session.catalog;
  const copy = async (): Promise<void> => {
    field.current?.select();
    setCopied(await copyText(link));
  };
  const email = `mailto:?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(resultText(items.slice(0, EMAILED), link))}`;
  return (
    <div class="share">
      <label for="share-link">{t("share.label")}</label>
      <div class="share-row">
        <input id="share-link" ref={field} readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
        <button type="button" class="outline" onClick={() => void copy()}>
          {t(copied ? "share.copied" : "share.copy")}
        </button>
      </div>
      <div class="share-more">
        <a class="quiet" href={email}>
          {t("share.email")}
        </a>
        <button type="button" class="quiet" onClick={() => save(`${session.catalog}.txt`, resultText(items, link))}>
          {t("share.save")}
        </button>
        <button type="button" class="quiet" onClick={() => print()}>
          {t("share.print")}
        </button>
      </div>
      <p class="visually-hidden" role="status">
        {copied && t("share.status")}
      </p>
    </div>
  );
}

/** The list as plain text, with the link to all of it. */
export function resultText(items: Recommendation[], link: string): string {
  const lines = items.map((item) => {
    const about = summary(item.facts, 3);
    const line = `${item.rank}. ${item.label}${about && ` (${about})`}`;
    return item.link ? `${line}\n   ${item.link}` : line;
  });
  return [...lines, "", link, ""].join("\n");
}

/** Give the browser a text to save. */
function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const anchor = Object.assign(document.createElement("a"), { href: address, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Browsers give the clipboard to secure pages only; the older command copies what is selected anywhere. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}
