import { parts, t } from "./messages";
import { percent } from "./words";

const WIDTH = 320;
const HEIGHT = 96;
const EDGE = 5;
// Room for a conversation of usual length, so that the line does not jump while it is short.
const QUESTIONS = 8;

interface Props {
  /** Expected regret before the first answer and after each one. */
  regrets: (number | undefined)[];
  /** Below this another question hardly helps. */
  stopsAt: number | null;
}

/** How expected regret falls, and below which another question hardly helps. */
export function RegretChart({ regrets, stopsAt }: Props) {
  const start = regrets[0];
  const now = regrets[regrets.length - 1];
  if (start === undefined || now === undefined || !(start > 0)) return null;
  const answers = regrets.length - 1;
  const highest = Math.max(...regrets.map((value) => value ?? 0), start);
  const x = (index: number): number => EDGE + (index / Math.max(QUESTIONS, answers)) * (WIDTH - 2 * EDGE);
  const y = (value: number): number => EDGE + (1 - value / highest) * (HEIGHT - 2 * EDGE);
  const points = regrets.flatMap((value, index) => (value === undefined ? [] : [{ x: x(index), y: y(value) }]));
  const line = points.map((point) => `${point.x.toFixed(1)},${point.y.toFixed(1)}`).join(" ");
  const last = points[points.length - 1];
  const left = percent(now / start);
  const spoken = [t("regret.spoken", { count: answers, share: left })];
  if (stopsAt !== null) spoken.push(t("regret.limitSpoken", { share: percent(stopsAt / start) }));
  return (
    <figure class="regret">
      <figcaption>
        <h2>{answers > 0 ? parts("regret.share", { share: <em>{left}</em> }) : t("regret.title")}</h2>
        <p>
          {t(answers === 0 ? "regret.start" : "regret.hint")} {stopsAt !== null && t("regret.limit")}
        </p>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={spoken.join(" ")}
      >
        {stopsAt !== null && <line class="limit" x1={0} x2={WIDTH} y1={y(stopsAt)} y2={y(stopsAt)} />}
        {points.length > 1 && <polygon class="area" points={`${EDGE},${HEIGHT} ${line} ${last?.x ?? 0},${HEIGHT}`} />}
        <polyline class="path" points={line} />
        {points.map((point, index) => (
          <circle key={index} class={index === points.length - 1 ? "now" : "then"} cx={point.x} cy={point.y} r={index === points.length - 1 ? 4.5 : 2} />
        ))}
      </svg>
    </figure>
  );
}
