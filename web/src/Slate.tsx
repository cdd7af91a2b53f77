import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { Choice, Option } from "./types";
import { comparison, prose } from "./words";

// More than this nobody compares before answering.
const FACTS = 5;
// A title beyond this many letters would fill its place; then all are set smaller.
const LONG = 24;

interface Props {
  options: Option[];
  /** The options are statements about attributes, not items. */
  statements: boolean;
  /** The answer that is on its way. */
  chosen?: Choice | "undo" | null;
  /** Nothing to show yet. */
  slow?: boolean;
  ready?: boolean;
  onChoose?: (place: number) => void;
  list?: RefObject<HTMLOListElement | null>;
}

/** The options side by side, on one sheet with seams. */
export function Slate({ options, statements, chosen = null, slow = false, ready = false, onChoose, list }: Props) {
  const rows = comparison(options, FACTS);
  const kind = statements ? "slate statements" : "slate";
  const long = options.some((option) => option.label.length > LONG);
  return (
    <ol
      class={kind}
      ref={list ?? null}
      data-k={options.length}
      data-long={long || undefined}
      data-slow={slow || undefined}
      data-ready={ready || undefined}
    >
      {options.map((option, place) => (
        <li
          key={place}
          class={chosen === place ? "option chosen" : "option"}
          data-passed={(chosen !== null && chosen !== place) || undefined}
        >
          <Picture address={option.image ?? null} />
          <h2 class="title">
            {onChoose ? (
              <button
                type="button"
                aria-describedby={`about-${place}`}
                aria-keyshortcuts={place < 9 ? String(place + 1) : undefined}
                onClick={() => onChoose(place)}
              >
                {option.label}
              </button>
            ) : (
              option.label
            )}
          </h2>
          <div class="about" id={`about-${place}`}>
            <p class="line">{prose(option.facts)}</p>
            <dl class="facts">
              {rows.map((row) => (
                <div key={row.name} data-same={!row.differs || undefined}>
                  <dt>{row.name}</dt>
                  <dd>{row.values[place] || "–"}</dd>
                </div>
              ))}
            </dl>
          </div>
          {place < 9 && (
            <kbd class="key" aria-hidden="true">
              {place + 1}
            </kbd>
          )}
        </li>
      ))}
    </ol>
  );
}

/** A picture, unless it cannot be shown. It says nothing that the title does not. */
function Picture({ address }: { address: string | null }) {
  const [broken, setBroken] = useState<string | null>(null);
  if (address === null || address === broken) return null;
  return <img class="picture" src={address} alt="" decoding="async" onError={() => setBroken(address)} />;
}
