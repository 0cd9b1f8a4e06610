/** What a user set of the workbench itself: kept by the browser, the same for all projects. */

import { createStore, type StoreApi } from "zustand/vanilla";
import { SCROLLING, type Scrolling } from "../model/scrolling";

export interface Preferences {
  /** Whether the palette shows every block, not only those for beginners. */
  allBlocks: boolean;
  /** Width of the inspector in pixels; null is as the window has it. */
  side: number | null;
  scrolling: Scrolling;
  /** Whether the settings that matter less are shown, too. */
  moreSettings: boolean;
  /** Whether the last device that scrolled over the canvas was a trackpad. */
  trackpad: boolean;
  /** Projects whose values were turned off, the latest last: they do not open with them after a training. */
  valuesOff: readonly string[];
}

/** So many projects are remembered. */
const MOST_OFF = 200;
const KEY = "layerloom:canvas";
const PLAIN: Preferences = {
  allBlocks: false,
  side: null,
  scrolling: "auto",
  trackpad: false,
  valuesOff: [],
  moreSettings: false,
};

function storage(): Storage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null; // The browser refuses storage (private mode): then it lasts as long as the page.
  }
}

/** Read what is kept; what cannot be read is as at the first visit. */
export function readPreferences(text: string | null): Preferences {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? "{}");
  } catch {
    return PLAIN;
  }
  const { allBlocks, side, scrolling, trackpad, valuesOff, moreSettings } = (kept ?? {}) as Partial<Preferences>;
  return {
    allBlocks: allBlocks === true,
    side: typeof side === "number" && Number.isFinite(side) ? side : null,
    scrolling: SCROLLING.find((one) => one === scrolling) ?? "auto",
    trackpad: trackpad === true,
    valuesOff: Array.isArray(valuesOff) ? valuesOff.filter((doc) => typeof doc === "string") : [],
    moreSettings: moreSettings === true,
  };
}

export const preferences: StoreApi<Preferences> = createStore<Preferences>()(() =>
  readPreferences(storage()?.getItem(KEY) ?? null),
);

export function prefer(part: Partial<Preferences>): void {
  preferences.setState(part);
  try {
    storage()?.setItem(KEY, JSON.stringify(preferences.getState()));
  } catch {
    return; // Its room is full: the choice holds until the page is left.
  }
}

export const wantsValues = (doc: string): boolean => !preferences.getState().valuesOff.includes(doc);

/** Remember of a project whether its values were turned on or off. */
export function preferValues(doc: string, on: boolean): void {
  if (on === wantsValues(doc)) return;
  const others = preferences.getState().valuesOff.filter((other) => other !== doc);
  prefer({ valuesOff: on ? others : [...others, doc].slice(-MOST_OFF) });
}
