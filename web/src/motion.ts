/** Animations, which people who prefer reduced motion do not see. Everything ends where it would be without them. */

import { useLayoutEffect, useRef } from "preact/hooks";
import type { RefObject } from "preact";

const EASE = "cubic-bezier(0.2, 0.7, 0.2, 1)";

export function prefersReducedMotion(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Let the children of a list glide from their old positions to their new ones whenever `order` changes. */
export function useGlide(list: RefObject<HTMLElement | null>, order: string): void {
  const tops = useRef(new Map<string, number>());
  useLayoutEffect(() => {
    const rows = Array.from(list.current?.children ?? []) as HTMLElement[];
    const before = tops.current;
    tops.current = new Map(rows.map((row) => [row.dataset["key"] ?? "", row.offsetTop]));
    if (before.size === 0 || prefersReducedMotion()) return;
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

/** A copy of the answered slate that fades out over the next one, which can already be read and answered. */
export class Departure {
  private copy: HTMLElement | null = null;

  /** Copy the slate as it looks now, with the chosen option. */
  capture(slate: HTMLElement | null, chosen: number | null): void {
    this.copy = null;
    if (slate === null || prefersReducedMotion()) return;
    const copy = slate.cloneNode(true) as HTMLElement;
    copy.setAttribute("aria-hidden", "true");
    copy.setAttribute("inert", "");
    copy.removeAttribute("data-ready");
    copy.classList.add("departing");
    for (const named of copy.querySelectorAll("[id]")) named.removeAttribute("id");
    if (chosen !== null) copy.querySelectorAll(".option")[chosen]?.classList.add("chosen");
    this.copy = copy;
  }

  discard(): void {
    this.copy = null;
  }

  /** Fade the copy out over the slate that replaced it, and let that one arrive. */
  play(slate: HTMLElement): void {
    const copy = this.copy;
    this.copy = null;
    if (prefersReducedMotion()) return;
    const arrival = [{ opacity: 0, transform: "translateY(10px)" }, {}];
    slate.querySelectorAll(".picture, .title, .line, .facts").forEach((part) => part.animate(arrival, { duration: 260, easing: EASE }));
    if (copy === null) return;
    slate.parentElement?.append(copy);
    const exit = copy.animate([{ opacity: 1 }, { opacity: 0, transform: "translateY(-8px)" }], { duration: 220, easing: "ease-out" });
    exit.onfinish = exit.oncancel = () => copy.remove();
  }
}
