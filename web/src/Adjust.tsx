import { useEffect, useState } from "preact/hooks";
import type { Conversation, State } from "./conversation";
import { Latest } from "./latest";
import { t } from "./messages";
import { Match } from "./Picks";
import type { Adjustment, Change, Decision, Recommendation, Session, Wanted } from "./types";
import { joined } from "./words";

// Of what else a value would change, more names than this do not fit beside it.
const NAMED = 2;

interface Props {
  item: Recommendation;
  session: Session;
  state: State;
  conversation: Conversation;
  /** The person has taken what the item was adjusted to. */
  onTaken: () => void;
}

/** A configuration whose choices can be changed: what else must change, what it comes to, how well it still matches. */
export function Adjust({ item, session, state, conversation, onTaken }: Props) {
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState<Wanted[]>([]);
  const { found, of, error } = useAdjustment(open, item, wanted, session, conversation);
  const busy = state.sending !== null || of !== wanted; // what is shown is not yet what is wanted

  const want = (column: string, value: string): void =>
    setWanted([...wanted.filter((each) => each.column !== column), { column, value }]);
  const take = async (): Promise<void> => {
    if (!found?.item || busy) return;
    await conversation.hint({ says: "adjust", item: found.start.id, to: found.item.id });
    onTaken();
  };
  return (
    <details class="adjust" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("adjust.title")}</summary>
      <p class="hint">{t("adjust.hint")}</p>
      {error !== null && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {found === null && error === null && open && <p class="hint">{t("app.loading")}</p>}
      {found !== null && (
        <>
          <div class="decisions">
            {found.decisions.map((decision) => (
              <Choice key={decision.column} decision={decision} wanted={wanted} found={found} onChoose={want} />
            ))}
          </div>
          <div class="outcome" data-shown={of.length > 0 || undefined}>
            <div role="status">{of.length > 0 && <Outcome found={found} />}</div>
            {of.length > 0 && (
              <div class="actions">
                {found.item !== null && found.item.id !== found.start.id && (
                  <button type="button" class="solid" aria-disabled={busy} onClick={() => void take()}>
                    {t("adjust.take")}
                  </button>
                )}
                <button type="button" class="outline" onClick={() => setWanted([])}>
                  {t("adjust.leave")}
                </button>
              </div>
            )}
          </div>
        </>
      )}
    </details>
  );
}

interface ChoiceProps {
  decision: Decision;
  wanted: Wanted[];
  found: Adjustment;
  onChoose: (column: string, value: string) => void;
}

/** One decision, and what each of its values would take. */
function Choice({ decision, wanted, found, onChoose }: ChoiceProps) {
  const id = `choice-${decision.column}`;
  const own = wanted.find((each) => each.column === decision.column)?.value;
  const chosen = own ?? decision.values.find((value) => value.chosen)?.value ?? "";
  const changed = [...found.wanted, ...found.forced].some((change) => change.column === decision.column);
  return (
    <div data-changed={changed || undefined}>
      <label for={id}>{decision.name}</label>
      <select id={id} value={chosen} onChange={(event) => onChoose(decision.column, event.currentTarget.value)}>
        {decision.values.map((value) => (
          <option key={value.value} value={value.value}>
            {value.text}
            {value.value !== chosen && cost(value)}
          </option>
        ))}
      </select>
    </div>
  );
}

/** What a value would take, in a few words: the difference in the first total, and what else it would change. */
function cost({ possible, totals, forced }: Decision["values"][number]): string {
  if (!possible) return ` – ${t("adjust.not")}`;
  const first = totals[0];
  const price = first !== undefined && first.amount !== 0 ? ` (${first.difference})` : "";
  const names = forced.map((change) => change.name);
  if (names.length === 0) return price;
  const listed = names.length > NAMED ? t("adjust.others", { count: names.length }) : joined(names, "and");
  return `${price}, ${t("adjust.with", { names: listed })}`;
}

/** What becomes of the configuration. */
function Outcome({ found }: { found: Adjustment }) {
  const { item, wanted, forced, because, totals } = found;
  if (item === null) {
    return (
      <>
        <p>{t("adjust.impossible", { wanted: joined(wanted.map((change) => `${change.name}: ${change.after}`), "and") })}</p>
        <Why because={because} />
      </>
    );
  }
  return (
    <>
      <p class="becomes">{item.label}</p>
      {wanted.length > 0 && <Changes heading={t("adjust.changed")} changes={wanted} />}
      {forced.length > 0 && <Changes heading={t("adjust.forced")} changes={forced} />}
      {forced.length > 0 && <Why because={because} />}
      <dl class="totals">
        {totals.map((total) => (
          <div key={total.column}>
            <dt>{total.name}</dt>
            <dd>
              {total.after}
              {total.amount !== 0 && <small> ({total.difference})</small>}
            </dd>
          </div>
        ))}
      </dl>
      <Match item={item} />
    </>
  );
}

function Changes({ heading, changes }: { heading: string; changes: Change[] }) {
  return (
    <>
      <h2>{heading}</h2>
      <ul>
        {changes.map(({ column, name, before, after }) => (
          <li key={column}>
            {name}: <s>{before}</s> <span aria-hidden="true">→</span> <b>{after}</b>
          </li>
        ))}
      </ul>
    </>
  );
}

function Why({ because }: { because: Adjustment["because"] }) {
  if (because.length === 0) return null;
  return (
    <>
      <h2>{t("adjust.because")}</h2>
      <ul>
        {because.map(({ text, must_have: own }) => (
          <li key={text}>
            {text}
            {own && <small> ({t("adjust.own")})</small>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** What the server says of these wishes, once it is there. What was there before stays until then. */
function useAdjustment(open: boolean, item: Recommendation, wanted: Wanted[], session: Session, conversation: Conversation) {
  const [loaded, setLoaded] = useState<{ found: Adjustment; of: Wanted[] } | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [request] = useState(() => new Latest());
  useEffect(() => {
    if (!open || !session.id || !conversation.api.adjustment) return;
    const { id } = session;
    request.load(
      (signal) => conversation.api.adjustment!(id, item.id, wanted, signal),
      (found) => {
        setLoaded({ found, of: wanted });
        setError(null);
      },
      (problem) => setError(problem.details.detail),
    );
    return () => request.cancel();
  }, [open, item.id, session.version, wanted]);
  return { found: loaded?.found ?? null, of: loaded?.of ?? [], error };
}
