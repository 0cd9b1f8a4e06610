/** Says that a drawing goes on beyond the first look at it, until a hand moves the view. */

import { Panel, useStore as useFlow } from "@xyflow/react";
import { useBench, useEditor } from "../hooks/useEditor";
import type { Beginning } from "../hooks/useFitView";
import { sameViewport } from "../hooks/useRefit";

export function MoreBeyond({ view, on }: Beginning) {
  const { editor } = useBench();
  const still = useFlow(({ transform: [x, y, zoom] }) => sameViewport(view, { x, y, zoom }));
  const heat = useEditor((s) => s.heat !== ""); // its scale stands in the same place
  if (!still || heat) return null;
  return (
    <Panel position="bottom-center" className="goes-on" data-testid="more">
      <span>The drawing goes on {on}.</span>
      <button type="button" className="button small outline" data-testid="more-all" onClick={() => editor.lookAt([])}>Show all</button>
    </Panel>
  );
}
