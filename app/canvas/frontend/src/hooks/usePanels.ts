/** Which panels are open now, and how one is opened: by hand, by a step of a lesson, by the width of the window. */

import { useEffect, useState } from "react";
import { type Closed, Panels } from "../model/panels";
import { useLesson } from "./useLesson";

const NARROW = "(max-width: 800px)";
/** So wide a window has room for the inspector beside a lesson. */
const WIDE = "(min-width: 1600px)";

const fits = (query: string): boolean => globalThis.matchMedia?.(query).matches ?? false;
const panels = new Panels(fits(NARROW));

export function usePanels(): { closed: Closed; flip: (what: keyof Closed) => () => void } {
  const focus = useLesson((s) => s.focus);
  const [, redraw] = useState(0);
  panels.follow(focus, fits(WIDE));
  useEffect(() => {
    const narrow = globalThis.matchMedia?.(NARROW);
    const resized = () => {
      panels.resize(fits(NARROW), focus, fits(WIDE));
      redraw((n) => n + 1);
    };
    resized();
    narrow?.addEventListener("change", resized);
    return () => narrow?.removeEventListener("change", resized);
  }, [focus]);
  const flip = (what: keyof Closed) => () => {
    panels.flip(what);
    redraw((n) => n + 1);
  };
  return { closed: panels.closed, flip };
}
