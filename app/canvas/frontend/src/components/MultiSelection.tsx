/** Shown while several blocks are selected: align them, space them evenly, lay them out, group them. */

import { type Action, capsOf, type Context, isEnabled, labelOf, titleOf } from "../actions/action";
import { ALIGN, DISTRIBUTE, duplicateSelected, freeze, group, remove, runPart } from "../actions/editActions";
import { tidy } from "../actions/viewActions";
import { useBench, useEditor } from "../hooks/useEditor";
import { Icon, type IconName } from "./icons";

const ICONS: Record<string, IconName> = {
  "align-left": "alignLeft",
  "align-centre": "alignCentre",
  "align-right": "alignRight",
  "align-top": "alignTop",
  "align-middle": "alignMiddle",
  "align-bottom": "alignBottom",
  "distribute-across": "spreadAcross",
  "distribute-down": "spreadDown",
};

export function MultiSelection({ count }: { count: number }) {
  const context: Context = { ...useBench(), root: null };
  const notes = useEditor((s) => s.selectedNotes.size);
  useEditor((s) => s.drawing.graph);
  const perform = (action: Action) => () => action.perform(context);
  const button = (action: Action) => (
    <button
      key={action.name}
      type="button"
      className="button icon"
      title={titleOf(action, context)}
      aria-label={action.title as string}
      aria-disabled={!isEnabled(action, context) || undefined}
      data-testid={action.name}
      onClick={perform(action)}
    >
      <Icon name={ICONS[action.name] as IconName} />
    </button>
  );
  return (
    <div className="several" data-testid="several">
      <p>
        <strong>{count} blocks</strong>
        {notes > 0 && ` and ${notes} ${notes === 1 ? "note" : "notes"}`} are selected.
      </p>
      <div className="row arrange" role="group" aria-label="Align">
        {ALIGN.map(button)}
      </div>
      <div className="row arrange" role="group" aria-label="Space evenly">
        {DISTRIBUTE.map(button)}
        <button
          type="button"
          className="button outline"
          data-testid="tidy-selected"
          title={`Only the selected blocks (${capsOf(tidy)})`}
          onClick={perform(tidy)}
        >
          <Icon name="tidy" /> Lay out
        </button>
      </div>
      <div className="row">
        <button type="button" className="button outline" data-testid="group-selected" onClick={perform(group)}>
          <Icon name="group" /> Group
        </button>
        {isEnabled(runPart, context) && (
          <button
            type="button"
            className="button outline"
            data-testid="run-selected"
            title={titleOf(runPart, context)}
            onClick={perform(runPart)}
          >
            <Icon name="play" /> Run
          </button>
        )}
        {isEnabled(freeze, context) && (
          <button
            type="button"
            className="button outline"
            data-testid="freeze-selected"
            title={capsOf(freeze).join()}
            onClick={perform(freeze)}
          >
            <Icon name="frozen" /> {labelOf(freeze, context)}
          </button>
        )}
        <button type="button" className="button outline" onClick={perform(duplicateSelected)}>
          <Icon name="copy" /> Duplicate
        </button>
        <button type="button" className="button outline" onClick={perform(remove)}>
          <Icon name="trash" /> Delete
        </button>
      </div>
    </div>
  );
}
