import type { ComponentChildren, RefObject } from "preact";
import { useRef } from "preact/hooks";
import { t } from "./messages";
import { useGlide } from "./motion";
import type { Item, Reason, Recommendation } from "./types";
import { summary } from "./words";

// What fits beside a title.
const SHORT = 12;
// Beside a question, which is what is read.
const REASONS = 2;

interface PicksProps {
  items: Recommendation[];
  answered: boolean;
  /** They are configurations, of which what they come to is shown first. */
  configured: boolean;
  /** The one that the person made of another one. */
  adjusted?: Item | undefined;
  /** Takes the focus when an item was adjusted. */
  heading: RefObject<HTMLHeadingElement | null>;
  /** What one can say about an item. */
  steer: (item: Recommendation) => ComponentChildren;
}

/** The best few items now; they glide when an answer reorders them. */
export function Picks({ items, answered, configured, adjusted, heading, steer }: PicksProps) {
  const list = useRef<HTMLOListElement>(null);
  useGlide(list, items.map((item) => String(item.id)).join("\n"));
  return (
    <section class="picks-panel" aria-labelledby="picks-heading">
      <div class="panel-head">
        <h2 id="picks-heading" ref={heading} tabIndex={-1}>
          {t(answered ? "picks.answered" : "picks.first")}
        </h2>
      </div>
      <ol class="picks" ref={list}>
        {items.map((item) => (
          <li key={item.id} data-key={String(item.id)}>
            <p class="pick">
              <span class="pick-title">
                {item.label} <small>{configured ? item.facts[0]?.value : summary(item.facts, 1, SHORT)}</small>
              </span>
            </p>
            {item.id === adjusted && <p class="stands-for">{t("adjust.yours")}</p>}
            <StandsFor item={item} />
            {answered && <Match item={item} />}
            <Because reasons={item.reasons ?? []} most={REASONS} />
            {steer(item)}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** For whom an item is on the list. */
export function StandsFor({ item }: { item: Recommendation }) {
  return item.stands_for ? <p class="stands-for">{item.stands_for}</p> : null;
}

/** How well an item matches and how sure that is, in words and as a bar. */
export function Match({ item }: { item: Recommendation }) {
  return (
    <p class="match">
      <span class="bar" aria-hidden="true">
        <span style={{ width: `${Math.max(2, 100 * item.match)}%` }} />
      </span>
      <span class="match-text">{item.match_text}</span>
    </p>
  );
}

/** Why an item is recommended, in short sentences. */
export function Because({ reasons, most = 3 }: { reasons: Reason[]; most?: number }) {
  if (reasons.length === 0) return null;
  return (
    <ul class="because">
      {reasons.slice(0, most).map((reason) => (
        <li key={reason.text}>{reason.text}</li>
      ))}
    </ul>
  );
}
