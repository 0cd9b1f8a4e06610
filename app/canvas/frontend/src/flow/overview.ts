/** Which blocks are drawn by themselves while all are seen from afar. */

import type { BlockFlow, NoteFlow, Places } from "./elements";

interface Spot {
  x: number;
  y: number;
}

/** The id of the block at a place of the drawing, the topmost one; "" for none. */
export function blockAt(blocks: readonly BlockFlow[], { x, y }: Spot): string {
  const covers = ({ position, width = 0, height = 0 }: BlockFlow) =>
    x >= position.x && y >= position.y && x <= position.x + width && y <= position.y + height;
  return blocks.findLast(covers)?.id ?? "";
}

/** What is selected or moved, what is under the pointer, and what a note is pinned to. */
export function taken(
  blocks: readonly BlockFlow[],
  notes: readonly NoteFlow[],
  moved: Places,
  under: string,
): BlockFlow[] {
  const pinned = new Set(notes.map((note) => note.parentId));
  return blocks.filter((block) => block.selected || block.id === under || block.id in moved || pinned.has(block.id));
}
