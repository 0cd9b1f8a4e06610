/** What scrolling over the canvas does. */

import type { WheelEvent } from "react";
import { useStore } from "zustand";
import { byTrackpad, pans } from "../model/scrolling";
import { prefer, preferences } from "../store/preferences";

function watch({ nativeEvent }: WheelEvent): void {
  const { trackpad } = preferences.getState();
  const judged = byTrackpad(nativeEvent, trackpad);
  if (judged !== trackpad) prefer({ trackpad: judged });
}

export function useScrolling() {
  const { scrolling, trackpad } = useStore(preferences);
  return { watch, pans: pans(scrolling, trackpad) };
}
