import { useRef } from "preact/hooks";
import { useGlide } from "./motion";
import type { Recommendation, Why } from "./types";
import { joined, percent, summary, withRepeats } from "./words";

// What fits beside a title.
const SHORT = 12;

/** The best few items now; they glide when an answer reorders them. */
export function Picks({ items, answered }: { items: Recommendation[]; answered: boolean }) {
  const list = useRef<HTMLOListElement>(null);
  useGlide(list, items.map((item) => String(item.id)).join("\n"));
  const reasons = withRepeats(items.map((item) => item.why));
  return (
    <section class="picks-panel" aria-labelledby="picks-heading">
      <div class="panel-head">
        <h2 id="picks-heading">{answered ? "For you, so far" : "A first guess"}</h2>
        <p class="hint" aria-hidden="true">
          chance of being the best
        </p>
      </div>
      <ol class="picks" ref={list}>
        {items.map((item, index) => (
          <li key={item.id} data-key={String(item.id)}>
            <p class="pick">
              <span class="pick-title">
                {item.label} <small>{summary(item.facts, 1, SHORT)}</small>
              </span>
              <Chance share={item.probability_best} />
            </p>
            <Because {...reasons[index]!} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The probability to be the best, as a number and as a bar below it. */
export function Chance({ share }: { share: number }) {
  return (
    <span class="chance">
      <span class="visually-hidden">, chance of being the best: </span>
      {percent(share)}
      <span class="bar" aria-hidden="true">
        <span style={{ width: `${Math.max(1, 100 * share)}%` }} />
      </span>
    </span>
  );
}

/** The answer that speaks most for an item, in short when an earlier item named it. */
export function Because({ why, repeated = false, who = "You" }: { why: Why | null; repeated?: boolean; who?: "You" | "They" }) {
  if (why === null) return null;
  if (why.chosen === null) return <p class="because">{why.text.replace(/^you\b/, who)}</p>;
  return (
    <p class="because">
      {who} chose <cite>{why.chosen}</cite>
      {!repeated && (
        <>
          {" "}
          over <cite>{joined(why.over, "and")}</cite>
        </>
      )}
      {why.feature && ` – ${why.direction} ${why.feature}`}
    </p>
  );
}
