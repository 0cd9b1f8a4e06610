/** The list of keys, on "?". */

import { useEffect, useRef } from "react";
import { MOD } from "./context";
import { Icon } from "./icons";

const GROUPS: [string, [string[], string][]][] = [
  ["Draw", [
    [["/"], "Search blocks; Enter adds the first, ↓ goes on to the others"],
    [["Enter"], "Edit the settings of the selected block, or open a composite"],
    [["N"], "Write a note: pinned to the selected block, else free"],
    [["M"], "Menu of the selected blocks, or of the drawing"],
    [["Delete"], "Delete blocks, wires and notes"],
    [["Shift", "← ↑ ↓ →"], "Move the selected blocks"],
    [["Esc"], "Select nothing; then leave the open composite"],
  ]],
  ["Edit", [
    [[MOD, "Z"], "Undo"],
    [[MOD, "Shift", "Z"], "Redo"],
    [[MOD, "C"], "Copy as text"],
    [[MOD, "X"], "Cut"],
    [[MOD, "V"], "Paste, from other projects too"],
    [[MOD, "D"], "Duplicate"],
    [["Alt", "A H D"], "Align left, centre, right"],
    [["Alt", "W V S"], "Align top, middle, bottom"],
    [["Alt", "Shift", "H V"], "Space evenly across, downwards"],
    [[MOD, "A"], "Select everything"],
    [[MOD, "G"], "Group blocks into one of your own"],
    [[MOD, "Shift", "G"], "Unpack a composite"],
    [["T"], "Freeze blocks, so that training leaves their weights; again: let them learn"],
    [[MOD, "S"], "Save"],
  ]],
  ["Go", [
    [["← ↑ ↓ →"], "From block to block, along the wires"],
    [["Tab"], "To the next block, wire, field or button"],
    [["P"], "To the next problem, with Shift to the one before"],
    [["X"], "To the fixes offered for it; Enter applies one"],
    [["Esc"], "Out of a field, back to its block"],
  ]],
  ["Look", [
    [[MOD, "K"], "Search this drawing: ids, settings, errors"],
    [["F"], "Show everything"],
    [["Shift", "F"], "Show what is selected"],
    [["L"], "Tidy up the layout: of the selected blocks, or all"],
    [["Shift", "L"], "Lay out downwards or to the right"],
    [["H"], "Colour by parameters, mult-adds, memory"],
    [["Shift", "drag"], "Select with a box"],
    [["?"], "This list"],
  ]],
];

export function Shortcuts({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="shortcuts" aria-labelledby="shortcuts-title" data-testid="shortcuts" onClose={onClose}
      onClick={(e) => e.target === dialog.current && dialog.current?.close()}>
      <div className="shortcuts-body">
        <header>
          <h2 id="shortcuts-title">Keyboard shortcuts</h2>
          <button type="button" className="button icon" aria-label="Close" onClick={() => dialog.current?.close()}><Icon name="cross" /></button>
        </header>
        {GROUPS.map(([title, rows]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map(([keys, what]) => (
                <div key={what}><dt>{keys.map((k) => <kbd key={k}>{k}</kbd>)}</dt><dd>{what}</dd></div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
