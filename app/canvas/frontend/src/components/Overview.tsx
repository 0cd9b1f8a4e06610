/** Shown while nothing is selected: what the project is, and how to go on. */

import { useState } from "react";
import { MOD } from "../actions/keys";
import { useEditor } from "../hooks/useEditor";
import { firstSentence } from "../model/sentence";

/** Whoever has drawn so many blocks knows how. */
const FEW = 3;

/** What the project says of itself: its first sentence, and the rest for whoever asks. */
function About({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const [first, rest] = firstSentence(text);
  return (
    <p className="summary about">
      {open ? text : first}{" "}
      {rest && (
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Less" : "More"}
        </button>
      )}
    </p>
  );
}

export function Overview() {
  const about = useEditor((s) => s.about);
  const count = useEditor((s) => Object.keys(s.drawing.graph.nodes).length);
  return (
    <div className="inspector" data-testid="overview">
      {about && <About key={about} text={about} />}
      {count < FEW ? <Tips /> : !about && <p className="summary">Select a block to change its settings.</p>}
    </div>
  );
}

function Tips() {
  return (
    <section className="tips-section">
      <h3>How to draw</h3>
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
    </section>
  );
}
