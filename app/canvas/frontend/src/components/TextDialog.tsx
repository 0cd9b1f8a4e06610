/** Blocks as text in a field: for when the clipboard is closed to the page, or for a mail or a file. */

import { useEffect, useRef, useState } from "react";
import { useBench } from "../hooks/useEditor";
import { copied, pasteText } from "../store/editCommands";

export function TextDialog({ mode }: { mode: "copy" | "paste" }) {
  const { editor } = useBench();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState(() => (mode === "copy" ? copied(editor) : ""));
  const [problem, setProblem] = useState("");
  useEffect(() => {
    dialog.current?.showModal();
    dialog.current?.querySelector("textarea")?.select();
  }, []);
  const close = () => editor.set({ overlay: null });
  const paste = () => {
    const reason = pasteText(editor, text);
    if (reason) return setProblem(reason);
    close();
    editor.lookAt([...editor.state.selectedNodes].slice(0, 1));
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      close();
      editor.notify("Copied.");
    } catch {
      dialog.current?.querySelector("textarea")?.select();
      setProblem("The browser blocks the clipboard. The text is selected: press Ctrl+C.");
    }
  };
  const copying = mode === "copy";
  return (
    <dialog ref={dialog} className="ask" aria-labelledby="text-title" data-testid="text-dialog" onClose={close}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (copying) void copy();
          else paste();
        }}
      >
        <h2 id="text-title">{copying ? "The selected blocks as text" : "Paste blocks from text"}</h2>
        <p className="muted" id="text-help">
          {copying ? "Paste it into another project, an e-mail or a file." : "Text copied here or in another project."}
        </p>
        <textarea
          className="field mono text-area"
          rows={10}
          value={text}
          readOnly={copying}
          spellCheck={false}
          aria-labelledby="text-title"
          aria-describedby="text-problem"
          aria-invalid={problem !== ""}
          data-testid="text-area"
          onChange={(e) => {
            setText(e.target.value);
            setProblem("");
          }}
        />
        <p id="text-problem" className="help bad" role="alert" data-testid="text-problem">
          {problem}
        </p>
        <div className="row">
          <button type="button" className="button outline" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button primary" data-testid="text-done">
            {copying ? "Copy" : "Paste"}
          </button>
        </div>
      </form>
    </dialog>
  );
}
