import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { State } from "./conversation";
import { PageLink } from "./ItemLinks";
import { t } from "./messages";
import { Picture } from "./Picture";
import type { Option } from "./types";
import { comparison, factRows, lineOf, prose } from "./words";

// Nobody compares more than this before answering.
const FACTS = 5;
// A longer title would not fit, so all are set smaller.
const LONG = 24;

interface Props {
  options: Option[];
  /** The options state attributes; they are not items. */
  attributes: boolean;
  /** The change that is being sent, such as the chosen option. */
  chosen?: State["sending"];
  /** Waiting for the next question. */
  slow?: boolean;
  ready?: boolean;
  onChoose?: (index: number) => void;
  list?: RefObject<HTMLOListElement | null>;
}

/** The options side by side, on one sheet with seams. */
export function Slate({ options, attributes, chosen = null, slow = false, ready = false, onChoose, list }: Props) {
  const [all, setAll] = useState(false);
  const decisive = comparison(options, FACTS);
  const rows = all ? factRows(options) : decisive;
  const hidden = factRows(options).length > decisive.length || options.some((option) => prose(option.facts) !== lineOf(option.facts));
  const kind = attributes ? "slate attributes" : "slate";
  const long = options.some((option) => option.label.length > LONG);
  return (
    <>
      <ol
        class={kind}
        ref={list ?? null}
        data-k={options.length}
        data-long={long || undefined}
        data-slow={slow || undefined}
        data-ready={ready || undefined}
      >
        {options.map((option, index) => (
          <li
            key={index}
            class={chosen === index ? "option chosen" : "option"}
            data-passed={(chosen !== null && chosen !== index) || undefined}
          >
            <Picture address={option.image ?? null} />
            <h2 class="title">
              {onChoose ? (
                <button
                  type="button"
                  aria-describedby={`about-${index}`}
                  aria-keyshortcuts={index < 9 ? String(index + 1) : undefined}
                  onClick={() => onChoose(index)}
                >
                  {option.label}
                </button>
              ) : (
                option.label
              )}
            </h2>
            <div class="about" id={`about-${index}`}>
              <p class="line">{all ? prose(option.facts) : lineOf(option.facts)}</p>
              <dl class="facts" data-all={all || undefined}>
                {rows.map((row) => (
                  <div key={row.name} data-same={!row.differs || undefined}>
                    <dt>
                      {row.name}
                      {all && row.differs && <Differs />}
                    </dt>
                    <dd>{row.values[index] || "–"}</dd>
                  </div>
                ))}
              </dl>
            </div>
            <PageLink item={option} />
            {index < 9 && (
              <kbd class="key" aria-hidden="true">
                {index + 1}
              </kbd>
            )}
          </li>
        ))}
      </ol>
      {hidden && (
        <button type="button" class="quiet all-facts" aria-pressed={all} onClick={() => setAll(!all)}>
          {t("slate.all")}
        </button>
      )}
    </>
  );
}

/** Marks a fact in which the options differ, for the eye and for the ear. */
function Differs() {
  return (
    <>
      <span class="differs" aria-hidden="true">
        {" "}
        ≠
      </span>
      <span class="visually-hidden">, {t("slate.differs")}</span>
    </>
  );
}
