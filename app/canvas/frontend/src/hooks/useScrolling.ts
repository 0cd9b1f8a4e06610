/** What scrolling over the canvas does, and the switch for it. */

import type { WheelEvent } from "react";
import { useStore } from "zustand";
import { afterScrolling, byTrackpad, pans, SCROLLING_WORDS } from "../model/scrolling";
import { prefer, preferences } from "../store/preferences";

const ICONS = { auto: "mouse", pan: "pan", zoom: "search" } as const;

function watch({ nativeEvent }: WheelEvent): void {
  const { trackpad } = preferences.getState();
  const judged = byTrackpad(nativeEvent, trackpad);
  if (judged !== trackpad) prefer({ trackpad: judged });
}

export function useScrolling() {
  const { scrolling, trackpad } = useStore(preferences);
  return {
    watch,
    pans: pans(scrolling, trackpad),
    words: SCROLLING_WORDS[scrolling],
    icon: ICONS[scrolling],
    turn: () => prefer({ scrolling: afterScrolling(scrolling) }),
  };
}
