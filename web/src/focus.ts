/** Where the keyboard and the screen reader are after the screen has changed. */

import { useEffect, useRef } from "preact/hooks";
import type { RefObject } from "preact";

let first = true;

/** For the heading of a screen: it takes the focus when the screen appears, except on the first of a visit. */
export function useArrival(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!first) {
      scrollTo({ top: 0 });
      heading.current?.focus({ preventScroll: true });
    }
    first = false;
  }, []);
  return heading;
}
