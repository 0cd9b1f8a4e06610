/** The list of keys, on "?". */

import { useEffect, useRef } from "react";
import { isHere } from "../actions/action";
import { SHORTCUTS } from "../actions/actions";
import { useEditor } from "../hooks/useEditor";
import { Icon } from "./icons";

export function Shortcuts({ onClose }: { onClose: () => void }) {
  const acts = useEditor((s) => s.acts);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      className="shortcuts"
      aria-labelledby="shortcuts-title"
      data-testid="shortcuts"
      onClose={onClose}
      onClick={(e) => e.target === dialog.current && dialog.current?.close()}
    >
      <div className="shortcuts-body">
        <header>
          <h2 id="shortcuts-title">Keyboard shortcuts</h2>
          <button type="button" className="button icon" aria-label="Close" onClick={() => dialog.current?.close()}>
            <Icon name="cross" />
          </button>
        </header>
        {SHORTCUTS.map(([title, rows]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows
                .filter(({ actions }) => actions.every((action) => isHere(action, acts)))
                .map(({ caps, text }) => (
                  <div key={text}>
                    <dt>
                      {caps.map((k) => (
                        <kbd key={k}>{k}</kbd>
                      ))}
                    </dt>
                    <dd>{text}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
        <p className="credit muted">
          The canvas is drawn with{" "}
          <a href="https://reactflow.dev" target="_blank" rel="noopener noreferrer">
            React Flow
          </a>
          .
        </p>
      </div>
    </dialog>
  );
}
