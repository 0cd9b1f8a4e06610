/**
 * Many blocks from afar: they are painted together (TinyBlocks), and React Flow holds only those that a hand may
 * take: what is selected, moved or under the pointer. So a frame of panning costs the same for 20 blocks and 1,000.
 */

import { useReactFlow, useStore as useFlow } from "@xyflow/react";
import { type PointerEvent, useState } from "react";
import type { AnyFlow, BlockFlow, NoteFlow, Places } from "../flow/elements";
import { blockAt, taken } from "../flow/overview";
import { useBench } from "./useEditor";

export function useOverview(tiny: boolean, blocks: BlockFlow[], notes: NoteFlow[], moved: Places) {
  const { editor } = useBench();
  const flow = useReactFlow();
  const selecting = useFlow((s) => s.userSelectionActive); // a frame is drawn: what it covers must be known
  const [under, setUnder] = useState("");
  const at = ({ clientX, clientY }: { clientX: number; clientY: number }) =>
    blockAt(blocks, flow.screenToFlowPosition({ x: clientX, y: clientY }, { snapToGrid: false }));
  const drawn = tiny && !selecting ? taken(blocks, notes, moved, under) : blocks;
  const nodes: AnyFlow[] = notes.length ? [...drawn, ...notes] : drawn;
  return {
    nodes,
    onPointerMove: (event: PointerEvent) => {
      if (tiny && !event.buttons) setUnder(at(event));
    },
    /** A click beside what React Flow holds, as after zooming under a pointer at rest, or by a finger. */
    onPaneClick: (event: { clientX: number; clientY: number }) => {
      const id = tiny ? at(event) : "";
      if (id) editor.select([id]);
    },
  };
}
