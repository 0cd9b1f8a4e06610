/** Where the card of the tour stands: beside what it speaks of, inside the window. */

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}
type Size = Pick<Box, "width" | "height">;

export const GAP = 14;

/** The part of an element that the window shows, with a little air; null where it shows none. */
export function inWindow(box: Box, window: Size, air = 5): Box | null {
  const left = Math.max(2, box.left - air),
    top = Math.max(2, box.top - air);
  const right = Math.min(window.width - 2, box.left + box.width + air);
  const bottom = Math.min(window.height - 2, box.top + box.height + air);
  return right - left > 8 && bottom - top > 8 ? { left, top, width: right - left, height: bottom - top } : null;
}

/** The left and top of a card: right of the mark, left of it, below, above, else in its lower corner. */
export function besides(mark: Box, card: Size, window: Size): { left: number; top: number } {
  const within = (value: number, size: number, whole: number): number =>
    Math.max(GAP, Math.min(value, whole - size - GAP));
  const top = within(mark.top, card.height, window.height),
    left = within(mark.left, card.width, window.width);
  const right = mark.left + mark.width + GAP,
    below = mark.top + mark.height + GAP;
  if (right + card.width + GAP <= window.width) return { left: right, top };
  if (mark.left - card.width - 2 * GAP >= 0) return { left: mark.left - card.width - GAP, top };
  if (below + card.height + GAP <= window.height) return { left, top: below };
  if (mark.top - card.height - 2 * GAP >= 0) return { left, top: mark.top - card.height - GAP };
  return {
    left: within(mark.left + mark.width - card.width - GAP, card.width, window.width),
    top: within(mark.top + mark.height - card.height - GAP, card.height, window.height),
  };
}
