/** Shown while several blocks are selected: align them, space them evenly, lay them out, group them. */

import type { Axis, Side } from "../model/align";
import { alignChosen, distributeChosen, tidyUp } from "../store/arrange";
import { allFrozen, learning, toggleFrozen } from "../store/learn";
import { duplicate, removeSelected } from "../store/verbs";
import { useBench, useEditor } from "./context";
import { Icon, type IconName } from "./icons";

const SIDES: [Side, IconName, string, string][] = [
  ["left", "alignLeft", "Left edges in line", "A"], ["centre", "alignCentre", "Centres in one column", "H"],
  ["right", "alignRight", "Right edges in line", "D"], ["top", "alignTop", "Upper edges in line", "W"],
  ["middle", "alignMiddle", "Middles in one row", "V"], ["bottom", "alignBottom", "Lower edges in line", "S"],
];
const AXES: [Axis, IconName, string, string][] = [
  ["across", "spreadAcross", "Evenly apart, across", "H"], ["down", "spreadDown", "Evenly apart, downwards", "V"],
];

export function Several({ count }: { count: number }) {
  const { editor } = useBench();
  const notes = useEditor((s) => s.noteIds.size);
  useEditor((s) => s.drawing.graph);
  const weighty = learning(editor);
  return (
    <div className="several" data-testid="several">
      <p><strong>{count} blocks</strong>{notes > 0 && ` and ${notes} ${notes === 1 ? "note" : "notes"}`} are selected.</p>
      <div className="row arrange" role="group" aria-label="Align">
        {SIDES.map(([side, icon, text, key]) => (
          <button key={side} type="button" className="button icon" title={`${text} (Alt+${key})`} aria-label={text} data-testid={`align-${side}`} onClick={() => alignChosen(editor, side)}><Icon name={icon} /></button>
        ))}
      </div>
      <div className="row arrange" role="group" aria-label="Space evenly">
        {AXES.map(([axis, icon, text, key]) => (
          <button key={axis} type="button" className="button icon" title={`${text} (Alt+Shift+${key})`} aria-label={text} disabled={count + notes < 3} data-testid={`distribute-${axis}`} onClick={() => distributeChosen(editor, axis)}><Icon name={icon} /></button>
        ))}
        <button type="button" className="button outline" data-testid="tidy-selected" title="Only the selected blocks (L)" onClick={() => tidyUp(editor)}><Icon name="tidy" /> Lay out</button>
      </div>
      <div className="row">
        <button type="button" className="button outline" data-testid="group-selected" onClick={() => editor.set({ overlay: { kind: "group" } })}><Icon name="group" /> Group</button>
        {weighty.length > 0 && <button type="button" className="button outline" data-testid="freeze-selected" title="T" onClick={() => toggleFrozen(editor)}><Icon name="frozen" /> {allFrozen(editor, weighty) ? "Unfreeze" : "Freeze"}</button>}
        <button type="button" className="button outline" onClick={() => duplicate(editor)}><Icon name="copy" /> Duplicate</button>
        <button type="button" className="button outline" onClick={() => removeSelected(editor)}><Icon name="trash" /> Delete</button>
      </div>
    </div>
  );
}
