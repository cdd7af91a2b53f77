import { useRef } from "preact/hooks";
import { useGlide } from "./motion";
import type { Recommendation, Why } from "./types";
import { inShort, listed, percent, told } from "./words";

// What fits beside a title.
const SHORT = 12;

/** The best few items now; they glide when an answer reorders them. */
export function Picks({ items, answered }: { items: Recommendation[]; answered: boolean }) {
  const list = useRef<HTMLOListElement>(null);
  useGlide(list, items.map((item) => String(item.id)).join("\n"));
  const reasons = told(items.map((item) => item.why));
  return (
    <section class="picks-panel" aria-labelledby="picks-heading">
      <div class="panel-head">
        <h2 id="picks-heading">{answered ? "For you, so far" : "A first guess"}</h2>
        <p class="hint" aria-hidden="true">
          chance to be the best
        </p>
      </div>
      <ol class="picks" ref={list}>
        {items.map((item, place) => (
          <li key={item.id} data-key={String(item.id)}>
            <p class="pick">
              <span class="pick-title">
                {item.label} <small>{inShort(item.facts, 1, SHORT)}</small>
              </span>
              <Chance share={item.probability_best} />
            </p>
            <Because {...reasons[place]!} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** How sure we are, as a number and as a bar below it. */
export function Chance({ share }: { share: number }) {
  return (
    <span class="chance">
      <span class="unseen">, chance to be the best: </span>
      {percent(share)}
      <span class="bar" aria-hidden="true">
        <span style={{ width: `${Math.max(1, 100 * share)}%` }} />
      </span>
    </span>
  );
}

/** The answer that speaks most for an item, in short when it was told before. */
export function Because({ why, again = false }: { why: Why | null; again?: boolean }) {
  if (why === null) return null;
  if (why.chosen === null) return <p class="because">{why.text.charAt(0).toUpperCase() + why.text.slice(1)}</p>;
  return (
    <p class="because">
      You chose <cite>{why.chosen}</cite>
      {!again && (
        <>
          {" "}
          over <cite>{listed(why.over, "and")}</cite>
        </>
      )}
      {why.feature && ` – ${why.direction} ${why.feature}`}
    </p>
  );
}
