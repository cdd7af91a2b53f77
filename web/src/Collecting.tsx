import { useState } from "preact/hooks";
import { isRefused, setRefused } from "./collecting";
import { t } from "./messages";
import { published } from "./published";

/** Says where the answers go, and lets the person refuse. Nothing where they stay on the device. */
export function Collecting() {
  const [refused, setState] = useState(isRefused);
  if (!published?.collect) return null;
  const change = (): void => {
    setRefused(!refused);
    setState(!refused);
  };
  return (
    <aside class="collecting" aria-labelledby="collecting">
      <span id="collecting">{refused ? t("collect.refused") : t("collect.told", { host: new URL(published.collect).host })}</span>{" "}
      <button type="button" class="quiet" onClick={change}>
        {t(refused ? "collect.allow" : "collect.refuse")}
      </button>
    </aside>
  );
}
