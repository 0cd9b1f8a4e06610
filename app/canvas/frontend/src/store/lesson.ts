/** The lesson beside the canvas, as its panel tells it: one for all drawings of a page. */

import { createStore, type StoreApi } from "zustand/vanilla";
import { type Focus, readFocus } from "../model/lesson";

export interface LessonState {
  focus: Focus | null;
  /** The name in the lesson's text that the pointer is on; "" for none. */
  pointed: string;
}

const EVENT = "layerloom:lesson";
const NAME = ".st-key-lesson_panel code";

const told = (): Focus | null => readFocus((globalThis as { layerloomLesson?: unknown }).layerloomLesson);

export const lesson: StoreApi<LessonState> = createStore<LessonState>()(() => ({ focus: told(), pointed: "" }));

globalThis.addEventListener?.(EVENT, () => lesson.setState({ focus: told() }));
globalThis.document?.addEventListener("pointerover", ({ target }) => {
  const pointed = (target instanceof Element && target.closest(NAME)?.textContent) || "";
  if (pointed !== lesson.getState().pointed) lesson.setState({ pointed });
});
