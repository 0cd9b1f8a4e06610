/** What an empty canvas says: the first step. */

import { useBench, useEditor } from "../hooks/useEditor";
import { addAt } from "../store/editCommands";
import { firstInputOf } from "../store/insertCommands";
import { Icon } from "./icons";

export function EmptyState() {
  const { editor } = useBench();
  const loaded = useEditor((s) => s.loaded);
  const count = useEditor((s) => Object.keys(s.drawing.graph.nodes).length);
  const hasInput = useEditor((s) => s.catalogue.block("Input") !== undefined);
  const input = useEditor(() => firstInputOf(editor));
  if (!loaded)
    return (
      <div className="empty" role="status">
        <p className="muted">Opening the project…</p>
      </div>
    );
  if (count) return null;
  return (
    <div className="empty" data-testid="empty">
      <div className="empty-card">
        <h2>Start with the data</h2>
        {input ? (
          <p className="muted">
            The data is <b data-testid="empty-about">{input.about}</b>. A network reads it from an <b>Input</b>.
          </p>
        ) : (
          <p className="muted">
            A network reads its data from an <b>Input</b>. Place one, or choose the data first.
          </p>
        )}
        <div className="row">
          <button
            type="button"
            className="button primary"
            data-testid="empty-input"
            disabled={!hasInput}
            onClick={() => {
              addAt(editor, "Input", [0, 0]);
              editor.lookAt([], true);
            }}
          >
            <Icon name="plus" size={14} /> Place an Input
          </button>
          <button
            type="button"
            className="button outline"
            data-testid="empty-data"
            onClick={() => editor.onAsk("data", {})}
          >
            {input ? "Change the data" : "Choose the data"}
          </button>
        </div>
        <p className="muted">
          Then click the next blocks in order: each is wired to the previous one. Or press <kbd>/</kbd> and type them.
        </p>
      </div>
    </div>
  );
}
