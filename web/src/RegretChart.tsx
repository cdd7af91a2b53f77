import { percent } from "./words";

const WIDTH = 320;
const HEIGHT = 96;
const EDGE = 5;
// Room for a conversation of usual length, so that the line does not jump while it is short.
const QUESTIONS = 8;

interface Props {
  /** Expected regret before the first answer and after each one. */
  fall: (number | undefined)[];
  /** Below this another question no longer pays. */
  stopsAt: number | null;
}

/** How expected regret falls, and where asking stops to pay. */
export function RegretChart({ fall, stopsAt }: Props) {
  const start = fall[0];
  const now = fall[fall.length - 1];
  if (start === undefined || now === undefined || !(start > 0)) return null;
  const answers = fall.length - 1;
  const highest = Math.max(...fall.map((value) => value ?? 0), start);
  const x = (place: number): number => EDGE + (place / Math.max(QUESTIONS, answers)) * (WIDTH - 2 * EDGE);
  const y = (value: number): number => EDGE + (1 - value / highest) * (HEIGHT - 2 * EDGE);
  const points = fall.flatMap((value, place) => (value === undefined ? [] : [{ x: x(place), y: y(value) }]));
  const line = points.map((point) => `${point.x.toFixed(1)},${point.y.toFixed(1)}`).join(" ");
  const last = points[points.length - 1];
  const left = percent(now / start);
  const limit = stopsAt === null ? "" : ` Asking stops to pay at ${percent(stopsAt / start)}.`;
  return (
    <figure class="fall">
      <figcaption>
        <h2>
          {answers > 0 && <em>{left} </em>}
          {answers > 0 ? "still to gain" : "Still to gain"}
        </h2>
        <p>
          {answers === 0 ? "Each answer brings this down. " : "of what there was before the first answer. "}
          {stopsAt !== null && "Below the dashes, asking stops to pay."}
        </p>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`Expected regret after ${answers} answers: ${left} of that at the start.${limit}`}
      >
        {stopsAt !== null && <line class="limit" x1={0} x2={WIDTH} y1={y(stopsAt)} y2={y(stopsAt)} />}
        {points.length > 1 && <polygon class="area" points={`${EDGE},${HEIGHT} ${line} ${last?.x ?? 0},${HEIGHT}`} />}
        <polyline class="path" points={line} />
        {points.map((point, place) => (
          <circle key={place} class={place === points.length - 1 ? "now" : "then"} cx={point.x} cy={point.y} r={place === points.length - 1 ? 4.5 : 2} />
        ))}
      </svg>
    </figure>
  );
}
