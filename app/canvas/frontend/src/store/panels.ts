/** Which panels are open now: by hand, by a step of a lesson, by the width of the window. */

import { createStore } from "zustand/vanilla";
import type { Focus, Room } from "../model/lesson";
import { type Closed, NARROW_PX, Panels, SHEET_PX, WIDE_PX } from "../model/panels";

const QUERIES = {
  narrow: `(max-width: ${NARROW_PX}px)`,
  sheet: `(max-width: ${SHEET_PX}px)`,
  wide: `(min-width: ${WIDE_PX}px)`,
} as const;

const fits = (query: string): boolean => globalThis.matchMedia?.(query).matches ?? false;

/** The room that the window leaves beside the canvas. */
export const roomNow = (): Room =>
  fits(QUERIES.narrow) ? "none" : fits(QUERIES.sheet) ? "palette" : fits(QUERIES.wide) ? "lesson" : "both";

const panels = new Panels(roomNow());

/** What is closed, and whether each lies over the canvas where it is open. */
export const panelState = createStore<{ closed: Closed; room: Room }>(() => ({
  closed: panels.closed,
  room: roomNow(),
}));

const say = (): void => panelState.setState({ closed: panels.closed, room: panels.room });

export function flipPanel(what: keyof Closed): void {
  panels.flip(what);
  say();
}

export function openPanel(what: keyof Closed): void {
  if (panels.closed[what]) flipPanel(what);
}

/** Fold for a step of a lesson, once. */
export function followLesson(focus: Focus | null): void {
  panels.follow(focus);
  if (panels.closed !== panelState.getState().closed) say();
}

/** Follow the window; returns how to stop. */
export function followWindow(focus: Focus | null): () => void {
  const resized = () => {
    panels.resize(roomNow(), focus);
    say();
  };
  const watched = Object.values(QUERIES).map((query) => globalThis.matchMedia?.(query));
  resized();
  for (const query of watched) query?.addEventListener("change", resized);
  return () => {
    for (const query of watched) query?.removeEventListener("change", resized);
  };
}
