/** Whose weights a block uses, in the inspector: its own, or those of another of its kind. */

import { useBench, useEditor } from "../hooks/useEditor";
import { canShare, owners, ownWeights, shareWeights, takeWeightsOf } from "../store/sharingCommands";
import { Icon } from "./icons";

export function Sharing({ id }: { id: string }) {
  const { editor } = useBench();
  const owner = useEditor((s) => s.drawing.graph.nodes[id]?.weights_of ?? "");
  useEditor((s) => s.drawing.graph);
  useEditor((s) => s.annotations);
  if (!canShare(editor, id)) return null;
  const others = owner ? owners(editor, id).filter((o) => o !== owner) : owners(editor, id);
  const choose = (to: string) => (to ? takeWeightsOf(editor, id, to) : ownWeights(editor, id));
  return (
    <section className="section" data-testid="sharing">
      <h3>Weights</h3>
      {(owner || others.length > 0) && (
        <div className="form">
          <div className="form-row">
            <label htmlFor="weights-of">weights</label>
            <select
              id="weights-of"
              className="field"
              value={owner}
              data-testid="weights-of"
              onChange={(e) => choose(e.target.value)}
            >
              <option value="">its own</option>
              {owner && <option value={owner}>those of {owner}</option>}
              {others.map((o) => (
                <option key={o} value={o}>
                  those of {o}
                </option>
              ))}
            </select>
          </div>
        </div>
      )}
      <button
        type="button"
        className="button small outline"
        data-testid="share-weights"
        onClick={() => shareWeights(editor, id)}
      >
        <Icon name="link" size={12} /> Add a block that shares these weights
      </button>
    </section>
  );
}
