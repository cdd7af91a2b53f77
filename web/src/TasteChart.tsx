import { t } from "./messages";
import type { Profile, Taste } from "./types";

// The qualities that move the ranking most; the others hardly do.
const SHOWN = 8;
const WIDTH = 160;
const HEIGHT = 18;

interface Row {
  feature: string;
  weight: number;
  /** One standard deviation, in the unit of the weight. */
  deviation: number;
  prior: number;
}

/** A taste in the unit of its weight: how much it moves the ranking. */
function rowOf(taste: Taste): Row {
  const unit = taste.mean === 0 ? 0 : taste.weight / taste.mean;
  return { feature: taste.feature, weight: taste.weight, deviation: taste.spread * unit, prior: taste.prior_mean * unit };
}

/** Of each column only the taste that moves the ranking most: what is under 700 is not over 2,000. */
function strongest(tastes: Taste[]): Taste[] {
  const columns = new Set<string>();
  return tastes.filter((taste) => !taste.column || (!columns.has(taste.column) && columns.add(taste.column)));
}

/** How much each quality matters, and how sure that is. */
export function TasteChart({ profile, who }: { profile: Profile; who: "You" | "They" }) {
  const rows = strongest(profile.tastes).slice(0, SHOWN).map(rowOf);
  if (rows.length === 0) return null;
  const reach = Math.max(...rows.map((row) => Math.max(Math.abs(row.weight) + row.deviation, Math.abs(row.prior))), 1e-9);
  const x = (value: number): number => WIDTH / 2 + (value / reach) * (WIDTH / 2 - 6);
  return (
    <section class="tastes-panel" aria-labelledby="tastes-heading">
      <h2 id="tastes-heading">{t(who === "You" ? "tastes.yours" : "tastes.theirs")}</h2>
      <div class="ends" aria-hidden="true">
        <span>{t("tastes.less")}</span>
        <span>{t("tastes.more")}</span>
      </div>
      <ul class="tastes">
        {rows.map((row) => (
          <li key={row.feature}>
            <span class="feature">{row.feature}</span>
            <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={describe(row)}>
              <line class="zero" x1={WIDTH / 2} x2={WIDTH / 2} y1={0} y2={HEIGHT} />
              <line class="deviation" x1={x(row.weight - row.deviation)} x2={x(row.weight + row.deviation)} y1={HEIGHT / 2} y2={HEIGHT / 2} />
              <circle class="prior" cx={x(row.prior)} cy={HEIGHT / 2} r={2.5} />
              <circle class="mean" cx={x(row.weight)} cy={HEIGHT / 2} r={4.5} />
            </svg>
          </li>
        ))}
      </ul>
      <p class="hint" aria-hidden="true">
        {t("tastes.hint")}
      </p>
    </section>
  );
}

function describe({ weight, deviation }: Row): string {
  const side = weight >= 0 ? "more" : "less";
  const ratio = Math.abs(weight) / Math.max(deviation, 1e-9);
  return t(`tastes.${side}.${ratio > 2 ? "sure" : ratio > 1 ? "fairly" : "unsure"}`);
}
