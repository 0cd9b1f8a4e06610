/** Asks for the name of a new composite. */

import { useEffect, useRef, useState } from "react";
import { useBench } from "../hooks/useEditor";
import { groupable, nameProblem } from "../model/group";
import { groupSelected, suggestedName } from "../store/compositeCommands";

export function GroupDialog() {
  const { editor } = useBench();
  const dialog = useRef<HTMLDialogElement>(null);
  const [name, setName] = useState(() => suggestedName(editor));
  const { drawing, catalogue, selectedNodes } = editor.state;
  const count = groupable(drawing.graph, selectedNodes).length;
  const reason = nameProblem(name, drawing.graph, catalogue);
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector("input")?.select();
  }, []);
  const close = () => editor.set({ overlay: null });
  const done = () => {
    if (reason) return;
    close();
    groupSelected(editor, name);
  };
  return (
    <dialog ref={dialog} className="ask" aria-labelledby="group-title" data-testid="group-dialog" onClose={close}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          done();
        }}
      >
        <h2 id="group-title">
          Group {count} {count === 1 ? "block" : "blocks"}
        </h2>
        <p className="muted">
          They become one block, and one class in the source. Wires to and from other blocks become its inputs and
          outputs.
        </p>
        <label htmlFor="group-name">Name</label>
        <input
          id="group-name"
          className="field mono"
          value={name}
          maxLength={40}
          spellCheck={false}
          autoComplete="off"
          data-testid="group-name"
          aria-invalid={reason !== ""}
          aria-describedby="group-help"
          onChange={(e) => setName(e.target.value)}
        />
        <p id="group-help" className={reason ? "help bad" : "help"}>
          {reason || "For example Residual or ConvBlock."}
        </p>
        <div className="row">
          <button type="button" className="button outline" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button primary" data-testid="group-done" aria-disabled={reason !== ""}>
            Group
          </button>
        </div>
      </form>
    </dialog>
  );
}
