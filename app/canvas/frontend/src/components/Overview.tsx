/** Shown while nothing is selected: the project and how to go on. */

import { MOD } from "../actions/keys";
import { useEditor } from "../hooks/useEditor";
import { grouped } from "../model/values";

/** Whoever has drawn so many blocks knows how. */
const FEW = 3;

export function Overview() {
  const name = useEditor((s) => s.name);
  const about = useEditor((s) => s.about);
  const notes = useEditor((s) => s.annotations);
  const count = useEditor((s) => Object.keys(s.drawing.graph.nodes).length);
  return (
    <div className="inspector" data-testid="overview">
      <header className="inspector-head">
        <h2>{name || "Untitled"}</h2>
      </header>
      {about && <p className="summary">{about}</p>}
      <section className="section">
        <h3>The network</h3>
        <dl className="facts">
          <dt>blocks</dt>
          <dd>{count}</dd>
          {notes.trainable !== notes.params && (
            <>
              <dt>trainable</dt>
              <dd>{grouped(notes.trainable)}</dd>
            </>
          )}
        </dl>
      </section>
      <details className="section fold" open={count < FEW}>
        <summary>How to draw</summary>
        <ul className="tips">
          <li>Drag a block from the left, or click it to add it after the selected one.</li>
          <li>Drag from the output dot of a block to the input dot of another to wire them.</li>
          <li>Drop a block on a wire to put it in between.</li>
          <li>Select a block to change its settings here.</li>
          <li>
            <kbd>N</kbd> writes a note, on the selected block or beside the network.
          </li>
          <li>
            <kbd>{MOD}</kbd> <kbd>Z</kbd> takes anything back. <kbd>?</kbd> lists all keys.
          </li>
        </ul>
      </details>
    </div>
  );
}
