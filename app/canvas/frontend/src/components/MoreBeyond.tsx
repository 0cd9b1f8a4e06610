/** Says that a drawing goes on beyond the first look at it, until a hand moves the view. */

import { Panel, useStore as useFlow } from "@xyflow/react";
import { useBench, useEditor } from "../hooks/useEditor";
import type { Beginning } from "../hooks/useFitView";
import { sameViewport } from "../hooks/useRefit";

/** So wide the canvas has to be for it to stand between the zoom and the map. */
const ROOM_PX = 620;

export function MoreBeyond({ view, on }: Beginning) {
  const { editor } = useBench();
  const still = useFlow(({ transform: [x, y, zoom] }) => sameViewport(view, { x, y, zoom }));
  const narrow = useFlow(({ width }) => width < ROOM_PX);
  const heat = useEditor((s) => s.heat !== ""); // its scale stands in the same place
  if (!still || heat) return null;
  return (
    <Panel position="bottom-center" className={narrow ? "goes-on above" : "goes-on"} data-testid="more">
      <span>The drawing goes on {on}.</span>
      <button type="button" className="button small outline" data-testid="more-all" onClick={() => editor.lookAt([])}>
        Show all
      </button>
    </Panel>
  );
}
