/** Where the keyboard and the screen reader are after the screen has changed. */

import { useEffect, useRef } from "preact/hooks";
import type { RefObject } from "preact";

let firstScreen = true;

/** For the heading of a screen: it takes the focus when the screen appears, except on the first screen. */
export function useHeadingFocus(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!firstScreen) {
      scrollTo({ top: 0 });
      heading.current?.focus({ preventScroll: true });
    }
    firstScreen = false;
  }, []);
  return heading;
}
