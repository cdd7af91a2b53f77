import { useRef, useState } from "preact/hooks";
import { Problem } from "./connection";
import type { Conversation } from "./conversation";
import { shortNumber, t } from "./messages";
import type { Filter, FilterOption, Session } from "./types";

interface Props {
  conversation: Conversation;
  session: Session;
  options: FilterOption[];
  /** A change is being sent, and no other can be. */
  busy: boolean;
}

// Values shown before the person asks for all of them.
const FIRST_VALUES = 10;

type Draft = ReadonlyMap<string, Filter>;

/** A button that opens the must-haves in a dialog: what every item has to be. */
export function MustHaves({ conversation, session, options, busy }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [draft, setDraft] = useState<Draft>(new Map());
  const [error, setError] = useState<string | null>(null);
  const count = session.filters.length;

  const open = (): void => {
    setDraft(new Map(session.filters.map((filter) => [filter.attribute, filter])));
    setError(null);
    dialog.current?.showModal();
  };
  const apply = async (filters: Draft): Promise<void> => {
    if (busy) return;
    try {
      await conversation.setFilters([...filters.values()].filter(isSet));
      dialog.current?.close();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      setError(problem.details.detail);
    }
  };
  const change = (filter: Filter): void => setDraft(new Map(draft).set(filter.attribute, filter));

  return (
    <>
      <button type="button" class="quiet" aria-haspopup="dialog" onClick={open}>
        {t("filters.title")}
        {count > 0 && <span class="count">{count}</span>}
      </button>
      <dialog ref={dialog} class="sheet" aria-labelledby="must-haves">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void apply(draft);
          }}
        >
          <h2 id="must-haves">{t("filters.title")}</h2>
          <p class="hint">{t("filters.hint")}</p>
          <div class="filters">
            {options.map((option) => (
              <FilterField key={option.attribute} option={option} filter={draft.get(option.attribute) ?? null} onChange={change} />
            ))}
          </div>
          <div class="foot">
            <p class="error" role="alert">
              {error}
            </p>
            <div class="actions">
              <button type="submit" class="solid" aria-disabled={busy}>
                {t("filters.apply")}
              </button>
              <button type="button" class="outline" aria-disabled={busy} onClick={() => void apply(new Map())}>
                {t("filters.clear")}
              </button>
              <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
                {t("filters.cancel")}
              </button>
            </div>
          </div>
        </form>
      </dialog>
    </>
  );
}

interface FieldProps {
  option: FilterOption;
  filter: Filter | null;
  onChange: (filter: Filter) => void;
}

function FilterField({ option, filter, onChange }: FieldProps) {
  return (
    <fieldset>
      <legend>{option.label}</legend>
      {option.kind === "number" ? (
        <Bounds option={option} filter={filter} onChange={onChange} />
      ) : (
        <Values option={option} filter={filter} onChange={onChange} />
      )}
    </fieldset>
  );
}

function Bounds({ option, filter, onChange }: FieldProps) {
  const field = (name: "minimum" | "maximum", label: string) => (
    <label>
      {label}
      <input
        type="number"
        step="any"
        inputMode="decimal"
        placeholder={String(option[name] ?? "")}
        value={filter?.[name] ?? ""}
        onInput={(event) => {
          const number = event.currentTarget.valueAsNumber;
          onChange({ ...filter, attribute: option.attribute, [name]: Number.isFinite(number) ? number : null });
        }}
      />
    </label>
  );
  return (
    <div class="bounds">
      {field("minimum", t("filters.minimum"))}
      {field("maximum", t("filters.maximum"))}
      {option.unit && <span class="unit">{option.unit}</span>}
    </div>
  );
}

function Values({ option, filter, onChange }: FieldProps) {
  const [all, setAll] = useState(false);
  const selected = new Set(filter?.any_of ?? []);
  const shown = all ? option.values : option.values.filter((item, index) => index < FIRST_VALUES || selected.has(item.value));
  const toggle = (value: string): void => {
    const next = new Set(selected);
    if (!next.delete(value)) next.add(value);
    onChange({ attribute: option.attribute, any_of: next.size > 0 ? [...next] : null });
  };
  return (
    <div class="values">
      {shown.map((item) => (
        <label key={item.value} class="value">
          <input type="checkbox" checked={selected.has(item.value)} onChange={() => toggle(item.value)} />
          <span>
            {item.value} <small>{shortNumber(item.items)}</small>
          </span>
        </label>
      ))}
      {shown.length < option.values.length && (
        <button type="button" class="quiet" onClick={() => setAll(true)}>
          {t("filters.all", { count: option.values.length })}
        </button>
      )}
    </div>
  );
}

/** The server rejects a filter without a condition. */
function isSet(filter: Filter): boolean {
  return [filter.any_of, filter.minimum, filter.maximum].some((part) => part !== null && part !== undefined);
}
