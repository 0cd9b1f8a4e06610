/** What a block is that forward does not call, in the inspector, and what can be done with it. */

import { useBench, useEditor } from "../hooks/useEditor";
import { isUnused } from "../model/graph";
import { removeSelected } from "../store/editCommands";
import { Icon } from "./icons";

export function Unused({ id }: { id: string }) {
  const { editor } = useBench();
  const unused = useEditor((s) => isUnused(s.drawing.graph, id));
  const path = useEditor((s) => s.path + id);
  useEditor((s) => s.drawing.graph);
  if (!unused) return null;
  return (
    <div className="finding" data-level="note" data-testid="unused">
      <p>
        <Icon name="unused" size={14} /> <strong>Not used by forward</strong>
      </p>
      <p>
        It is constructed, counted in the parameters and saved under <code>{path}</code>, but forward does not call it:
        it computes nothing, and training does not change it.
      </p>
      <p className="muted">
        {wayToUse(editor.ports().inputs(id).length, editor.ports().outputs(id).length)} Or delete it together with its
        weights.
      </p>
      <button
        type="button"
        className="button small outline"
        data-testid="delete-unused"
        onClick={() => removeSelected(editor)}
      >
        <Icon name="trash" size={12} /> Delete {id}
      </button>
    </div>
  );
}

/** What makes forward call it, by the ports that it has. */
function wayToUse(inputs: number, outputs: number): string {
  if (inputs) return "To use it, draw a wire into it.";
  if (outputs) return "To use it, draw a wire from it.";
  return "To use it, open it and draw how it is called, from an Input to an Output; then draw a wire into it.";
}
