/** What scrolling over the canvas does: two fingers on a trackpad pan, a mouse wheel zooms. */

export const SCROLLING = ["auto", "pan", "zoom"] as const;
/** auto: by the device that scrolls, as far as its events show it. */
export type Scrolling = (typeof SCROLLING)[number];

const NOTCH = 100; // pixels; Chrome and Edge report 100 or 120 for one notch of a wheel

/** Whether a trackpad scrolls, judged by one event; `before` where the event does not show it. */
export function byTrackpad(
  event: Pick<WheelEvent, "deltaX" | "deltaY" | "deltaMode" | "ctrlKey" | "shiftKey">,
  before: boolean,
): boolean {
  if (event.ctrlKey || event.shiftKey) return before; // a pinch, or a wheel that Shift turns sideways
  if (event.deltaMode !== 0) return false; // only a wheel scrolls by lines
  if (event.deltaX !== 0) return true;
  return Math.abs(event.deltaY) >= NOTCH && Number.isInteger(event.deltaY) ? false : before;
}

export const pans = (scrolling: Scrolling, trackpad: boolean): boolean =>
  scrolling === "auto" ? trackpad : scrolling === "pan";

export const afterScrolling = (scrolling: Scrolling): Scrolling =>
  SCROLLING[(SCROLLING.indexOf(scrolling) + 1) % SCROLLING.length] ?? "auto";

export const SCROLLING_WORDS: Record<Scrolling, string> = {
  auto: "Scrolling: a trackpad pans, a mouse wheel zooms",
  pan: "Scrolling pans; with Ctrl it zooms",
  zoom: "Scrolling zooms",
};
