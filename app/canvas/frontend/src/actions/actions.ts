/** All actions, and where they are offered: the menus, and the list of keys. */

import { type Action, capsOf } from "./action";
import {
  ALIGN,
  copyAsText,
  DISTRIBUTE,
  duplicateSelected,
  freeze,
  group,
  independent,
  open,
  pasteFromText,
  redo,
  remove,
  removeWithGap,
  runPart,
  share,
  undo,
  ungroup,
} from "./editActions";
import { isPressed, MOD, type Pressed } from "./keys";
import { addANote, pin, unpin, write } from "./noteActions";
import {
  direction,
  everything,
  experiments,
  fit,
  fixes,
  heat,
  help,
  nextProblem,
  oneSample,
  openMenu,
  PANELS,
  previousProblem,
  save,
  scrolling,
  search,
  searchBlocks,
  showSelected,
  stepOut,
  STEPS,
  TABS,
  tidy,
  train,
  zoomIn,
  zoomOut,
} from "./viewActions";

export const ACTIONS: readonly Action[] = [
  undo,
  redo,
  remove,
  removeWithGap,
  duplicateSelected,
  copyAsText,
  pasteFromText,
  group,
  ungroup,
  independent,
  open,
  runPart,
  freeze,
  share,
  ...ALIGN,
  ...DISTRIBUTE,
  addANote,
  write,
  pin,
  unpin,
  save,
  train,
  search,
  searchBlocks,
  everything,
  stepOut,
  fit,
  zoomIn,
  zoomOut,
  scrolling,
  PANELS.palette,
  PANELS.side,
  showSelected,
  experiments,
  tidy,
  direction,
  heat,
  oneSample,
  ...STEPS,
  nextProblem,
  previousProblem,
  fixes,
  ...TABS,
  openMenu,
  help,
];

/** The action of a key. */
export function actionOf(event: Pressed): Action | undefined {
  return ACTIONS.find(({ keys }) => keys?.some((key) => isPressed(key, event)));
}

/** What can be done with the selected blocks and notes, and where no block stands. */
export const SELECTION_MENU: readonly Action[] = [
  write,
  pin,
  unpin,
  open,
  group,
  ungroup,
  independent,
  runPart,
  freeze,
  showSelected,
  experiments,
  tidy,
  duplicateSelected,
  share,
  addANote,
  copyAsText,
  remove,
];
export const PLACE_MENU: readonly Action[] = [addANote, pasteFromText, everything, tidy, fit, oneSample];

/** What arranges the whole drawing, and how it is looked at: the menu of the bar, in groups. */
export const ARRANGE_MENU: readonly (readonly Action[])[] = [
  [tidy, direction, group, addANote],
  [fit, zoomIn, zoomOut, search],
  [PANELS.palette, PANELS.side, scrolling, help],
];

/** Keys that are no action's alone, as menus show them: what Enter does depends on what has the focus. */
const MENU_CAPS: ReadonlyMap<Action, readonly string[]> = new Map([
  [open, ["Enter"]],
  [write, ["Enter"]],
  [pasteFromText, [MOD, "V"]],
]);

export const menuCaps = (action: Action): string => (MENU_CAPS.get(action) ?? capsOf(action)).join(" ");

/** One line of the list of keys: of these actions, or of a gesture whose caps are written here. */
export interface Shortcut {
  actions: readonly Action[];
  caps: readonly string[];
  text: string;
}

const of = (action: Action, text: string): Shortcut => ({ actions: [action], caps: capsOf(action), text });

/** Several actions whose keys differ in the last cap only. */
const ofSeveral = (actions: readonly Action[], text: string): Shortcut => {
  const all = actions.map(capsOf);
  return { actions, caps: [...(all[0] ?? []).slice(0, -1), all.map((caps) => caps.at(-1)).join(" ")], text };
};

const gesture = (caps: readonly string[], text: string): Shortcut => ({ actions: [], caps, text });

export const SHORTCUTS: readonly [title: string, rows: readonly Shortcut[]][] = [
  [
    "Draw",
    [
      of(searchBlocks, "Type a network: Enter adds the best match, ↓ selects the others"),
      gesture(["conv2d 16 3"], "Numbers set its settings; block ids add wires (add relu1)"),
      gesture(["Tab"], "Go to the new block's settings; Enter returns"),
      gesture(["drag"], "A block from the list onto the canvas, or onto a wire to put it in between"),
      gesture(["drag"], "From the dot of an output to that of an input: draw a wire"),
      gesture(["double-click"], "On the empty canvas: search for a block to add there"),
      gesture(["Enter"], "Edit the settings of the selected block, or open a composite"),
      of(addANote, "Write a note, pinned to the selected block if there is one"),
      of(openMenu, "Menu of the selected blocks, or of the drawing"),
      of(remove, "Delete blocks, wires and notes; a cut chain is joined where shapes fit"),
      of(removeWithGap, "Delete blocks without joining the chain"),
      gesture(["Shift", "← ↑ ↓ →"], "Move the selected blocks"),
      of(stepOut, "Deselect; then leave the open composite"),
    ],
  ],
  [
    "Edit",
    [
      of(undo, "Undo"),
      of(redo, "Redo"),
      gesture([MOD, "C"], "Copy as text"),
      gesture([MOD, "X"], "Cut"),
      gesture([MOD, "V"], "Paste, also from other projects"),
      of(duplicateSelected, "Duplicate"),
      ofSeveral(ALIGN.slice(0, 3), "Align left, centre, right"),
      ofSeveral(ALIGN.slice(3), "Align top, middle, bottom"),
      ofSeveral(DISTRIBUTE, "Space evenly: horizontally, vertically"),
      of(everything, "Select everything"),
      of(group, "Group blocks into one block"),
      of(ungroup, "Unpack a composite"),
      of(freeze, "Freeze blocks, so that training does not change their weights; again to unfreeze"),
      of(save, "Save"),
      of(train, "Train"),
    ],
  ],
  [
    "Go",
    [
      gesture(["← ↑ ↓ →"], "From block to block, along the wires"),
      gesture(["Tab"], "To the next block, wire, field or button"),
      {
        actions: [nextProblem, previousProblem],
        caps: capsOf(nextProblem),
        text: "To the next problem; with Shift to the previous one",
      },
      ofSeveral(TABS, "Tabs of the inspector: Block, Source, Problems"),
      of(fixes, "To the fixes for it; Enter applies one"),
      gesture(["Esc"], "From a field back to its block"),
    ],
  ],
  [
    "Look",
    [
      of(search, "Search this drawing: ids, settings, errors, state_dict keys"),
      of(fit, "Show everything"),
      ofSeveral([zoomIn, zoomOut], "Zoom in, zoom out"),
      ofSeveral([PANELS.palette, PANELS.side], "Hide or show the blocks, the inspector"),
      of(showSelected, "Show the selection"),
      of(experiments, "Experiments with the selected block: predict, run, export the code"),
      of(tidy, "Tidy up the layout of the selected blocks, or of all"),
      of(direction, "Lay out downwards or to the right"),
      of(heat, "Colour by parameters, mult-adds, memory"),
      of(oneSample, "Run one sample and show its values on every block"),
      {
        actions: STEPS,
        caps: capsOf(STEPS[0] as Action),
        text: "Step through a training step: over a block; F11 into it, Shift+F11 out",
      },
      gesture(["Shift", "click"], "Add a block to the selection"),
      gesture(["Shift", "drag"], "Select with a box"),
      of(help, "This list"),
    ],
  ],
];
