import { useState } from "preact/hooks";
import { ItemLinks } from "./ItemLinks";
import { t } from "./messages";
import { Picture } from "./Picture";
import type { Recommendation, Session } from "./types";
import { factRows } from "./words";

// More do not fit side by side on a phone.
const COMPARED = 3;

/** The best items side by side, with what differs marked; folded away until somebody wants it. */
export function Compare({ items, session }: { items: Recommendation[]; session: Session }) {
  const [all, setAll] = useState(false);
  const compared = items.slice(0, COMPARED);
  const rows = factRows(compared);
  const differing = rows.filter((row) => row.differs);
  const shown = all || differing.length === 0 ? rows : differing;
  if (compared.length < 2 || rows.length === 0) return null;
  return (
    <details class="compare">
      <summary>{t(compared.length === 3 ? "compare.three" : "compare.two")}</summary>
      <table data-columns={compared.length} role="table">
        <caption class="visually-hidden">{t("compare.caption")}</caption>
        <thead role="rowgroup">
          <tr role="row">
            <td class="corner" role="cell" />
            {compared.map((item) => (
              <th key={item.id} scope="col" role="columnheader">
                <Picture address={item.image ?? null} />
                {item.label}
                <ItemLinks item={item} session={session} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {shown.map((row) => (
            <tr key={row.name} role="row" data-differs={row.differs || undefined}>
              <th scope="row" role="rowheader">
                <span aria-hidden={row.differs || undefined}>{row.name}</span>
                {row.differs && <span class="visually-hidden">{t("compare.differs", { name: row.name })}</span>}
              </th>
              {row.values.map((value, index) => (
                <td key={index} role="cell" data-alone={row.alone === index || undefined}>
                  {value || "–"}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {differing.length > 0 && differing.length < rows.length && (
        <button type="button" class="quiet" aria-pressed={all} onClick={() => setAll(!all)}>
          {t("compare.same")}
        </button>
      )}
    </details>
  );
}
