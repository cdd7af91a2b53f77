import { useRef, useState } from "preact/hooks";
import { shareLink } from "./route";

/** The address of the read-only view, to copy. */
export function Share({ token }: { token: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    field.current?.select();
    setCopied(await copyText(shareLink(token)));
  };
  return (
    <div class="share">
      <label for="share-link">Share a read-only link</label>
      <div class="share-row">
        <input id="share-link" ref={field} readOnly value={shareLink(token)} onFocus={(event) => event.currentTarget.select()} />
        <button type="button" class="outline" onClick={() => void copy()}>
          {copied ? "Copied" : "Copy link"}
        </button>
      </div>
      <p class="visually-hidden" role="status">
        {copied && "Link copied."}
      </p>
    </div>
  );
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
