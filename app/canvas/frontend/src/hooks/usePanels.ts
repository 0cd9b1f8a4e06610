/** Which panels are open now. */

import { useLayoutEffect } from "react";
import { useStore } from "zustand";
import type { Room } from "../model/lesson";
import type { Closed } from "../model/panels";
import { followLesson, followWindow, panelState } from "../store/panels";
import { useLesson } from "./useLesson";

export function usePanels(): { closed: Closed; room: Room } {
  const focus = useLesson((s) => s.focus);
  useLayoutEffect(() => followWindow(focus), [focus]);
  useLayoutEffect(() => followLesson(focus), [focus]);
  return useStore(panelState);
}
