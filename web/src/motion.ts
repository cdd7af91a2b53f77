/** Movement, for those who like it. Everything ends where it would have been without. */

import { useLayoutEffect, useRef } from "preact/hooks";
import type { RefObject } from "preact";

const EASE = "cubic-bezier(0.2, 0.7, 0.2, 1)";

export function calm(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Let the children of a list glide from their former places to their new ones whenever `order` changes. */
export function useGlide(list: RefObject<HTMLElement | null>, order: string): void {
  const places = useRef(new Map<string, number>());
  useLayoutEffect(() => {
    const rows = Array.from(list.current?.children ?? []) as HTMLElement[];
    const before = places.current;
    places.current = new Map(rows.map((row) => [row.dataset["key"] ?? "", row.offsetTop]));
    if (before.size === 0 || calm()) return;
    for (const row of rows) {
      const from = before.get(row.dataset["key"] ?? "");
      if (from === undefined) {
        row.animate([{ opacity: 0, transform: "translateX(12px)" }, {}], { duration: 380, easing: EASE });
      } else if (from !== row.offsetTop) {
        row.animate([{ transform: `translateY(${from - row.offsetTop}px)` }, {}], { duration: 480, easing: EASE });
      }
    }
  }, [order]);
}

/** What a slate leaves behind: a copy that fades over the next one, which can be read and answered meanwhile. */
export class Departure {
  private copy: HTMLElement | null = null;

  /** Remember how the slate looks, with the chosen option. */
  remember(slate: HTMLElement | null, chosen: number | null): void {
    this.copy = null;
    if (slate === null || calm()) return;
    const copy = slate.cloneNode(true) as HTMLElement;
    copy.setAttribute("aria-hidden", "true");
    copy.setAttribute("inert", "");
    copy.removeAttribute("data-ready");
    copy.classList.add("departing");
    for (const named of copy.querySelectorAll("[id]")) named.removeAttribute("id");
    if (chosen !== null) copy.querySelectorAll(".option")[chosen]?.classList.add("chosen");
    this.copy = copy;
  }

  forget(): void {
    this.copy = null;
  }

  /** Fade the copy out over the slate that took its place, and let that one arrive. */
  play(slate: HTMLElement): void {
    const copy = this.copy;
    this.copy = null;
    if (calm()) return;
    const arrival = [{ opacity: 0, transform: "translateY(10px)" }, {}];
    slate.querySelectorAll(".picture, .title, .line, .facts").forEach((part) => part.animate(arrival, { duration: 260, easing: EASE }));
    if (copy === null) return;
    slate.parentElement?.append(copy);
    const exit = copy.animate([{ opacity: 1 }, { opacity: 0, transform: "translateY(-8px)" }], { duration: 220, easing: "ease-out" });
    exit.onfinish = exit.oncancel = () => copy.remove();
  }
}
