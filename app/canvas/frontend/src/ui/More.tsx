/** Says that a drawing goes on beyond the first look at it, until a hand moves the view. */

import { Panel, useStore as useFlow } from "@xyflow/react";
import { useBench } from "./context";
import { same } from "./refit";
import type { Beginning } from "./view";

export function More({ view, on }: Beginning) {
  const { editor } = useBench();
  const still = useFlow(({ transform: [x, y, zoom] }) => same(view, { x, y, zoom }));
  if (!still) return null;
  return (
    <Panel position="bottom-center" className="more" data-testid="more">
      <span>The drawing goes on {on}.</span>
      <button type="button" className="button small outline" data-testid="more-all" onClick={() => editor.lookAt([])}>Show all</button>
    </Panel>
  );
}
