/** Actions that look at the drawing, lay it out, or go somewhere. */

import { MEASURES } from "../model/heat";
import { afterScrolling, SCROLLING_WORDS } from "../model/scrolling";
import { problems, shownAs } from "../store/annotations";
import { closeComposite } from "../store/compositeCommands";
import { layOut, selectAll } from "../store/editCommands";
import type { Editor } from "../store/editor";
import { sampleStore, toggleSample } from "../store/oneSample";
import { tidyUp } from "../store/layoutCommands";
import { flipPanel, openPanel, panelState } from "../store/panels";
import { prefer, preferences } from "../store/preferences";
import { endSteps, stepOn } from "../store/stepping";
import type { Tab } from "../store/slices/ui";
import type { EditorState } from "../store/state";
import { type Action, type Context, isHere } from "./action";
import { enter, focusBlock, focusFix } from "./focus";
import type { Keys } from "./keys";

export const save: Action = {
  name: "save",
  keys: [{ key: "s", mod: true }],
  whileTyping: true,
  perform: ({ sync }) => sync.act("save"),
};

const trouble = ({ editor: { state } }: Context): string => {
  const errors = state.annotations.errors.length;
  if (!Object.keys(state.drawing.graph.nodes).length)
    return "Draw a network first: it needs at least an Input and an Output.";
  return errors ? `Training needs a network without errors. ${errors === 1 ? "One is" : `${errors} are`} left.` : "";
};

/** Pressed all the same, it shows what is in the way. */
export const train: Action = {
  name: "train",
  title: "Train this network",
  keys: [{ key: "Enter", mod: true }],
  whileTyping: true,
  enabled: (context) => trouble(context) === "",
  why: trouble,
  perform: (context) => {
    const why = trouble(context);
    context.editor.notify(why || "Starting the training.", why ? "error" : "info"); // at once: the answer takes a while
    if (!why) return context.sync.act("train");
    openPanel("side");
    context.editor.set({ tab: "problems" });
  },
};

export const search: Action = {
  name: "search",
  title: "Search this drawing",
  keys: [{ key: "k", mod: true }],
  whileTyping: true,
  perform: ({ editor }) => editor.set({ overlay: { kind: "search" } }),
};

export const searchBlocks: Action = {
  name: "palette",
  keys: [{ key: "/" }],
  perform: ({ root }) => root && enter(root, "palette", "[data-testid=palette-search]"),
};

export const everything: Action = {
  name: "all",
  label: "Select everything",
  keys: [{ key: "a", mod: true }],
  perform: ({ editor }) => selectAll(editor),
};

/** One step out: what lies over the canvas, the step that is gone through, the selection, the open composite. */
export function leave(editor: Editor): void {
  const { overlay, selectedNodes, selectedEdges } = editor.state;
  if (overlay) editor.set({ overlay: null });
  else if (sampleStore(editor).getState().steps) endSteps(editor);
  else if (selectedNodes.size || selectedEdges.size) editor.select([]);
  else closeComposite(editor);
}

export const stepOut: Action = { name: "escape", keys: [{ key: "Escape" }], perform: ({ editor }) => leave(editor) };

export const fit: Action = {
  name: "fit",
  label: "Show everything",
  title: "Show everything",
  keys: [{ key: "f" }],
  perform: ({ editor }) => editor.lookAt([]),
};

const zoom = (name: string, title: string, key: string, by: number): Action => ({
  name,
  title,
  keys: [{ key }],
  perform: ({ editor }) => editor.zoom(by),
});

/** What a press makes the drawing larger by: six presses for eight times as large. */
const ZOOM = Math.SQRT2;
export const zoomIn = zoom("zoom-in", "Zoom in", "+", ZOOM),
  zoomOut = zoom("zoom-out", "Zoom out", "-", 1 / ZOOM);

/** What scrolling over the canvas does, and with the next press. */
export const scrolling: Action = {
  name: "scrolling",
  title: () => SCROLLING_WORDS[preferences.getState().scrolling],
  perform: () => prefer({ scrolling: afterScrolling(preferences.getState().scrolling) }),
};

const panel = (what: "palette" | "side", said: string, key: string): Action => ({
  name: `toggle-${what}`,
  title: () => `${panelState.getState().closed[what] ? "Show" : "Hide"} ${said}`,
  keys: [{ key }],
  perform: () => flipPanel(what),
});

export const PANELS = { palette: panel("palette", "the blocks", "b"), side: panel("side", "the inspector", "i") };

/** All of what is selected, as large as it fits. */
export const showSelected: Action = {
  name: "look",
  label: "Show just these",
  keys: [{ key: "F" }],
  enabled: ({ editor }) => editor.state.selectedNodes.size > 0,
  perform: ({ editor }) => {
    const ids = [...editor.state.selectedNodes];
    if (ids.length) editor.lookAt(ids, false, true);
    else editor.notify("Select blocks first, then press Shift+F to show only them.");
  },
};

/** The cards that suit a block, on the Learn page. */
export const experiments: Action = {
  name: "cards",
  label: "Experiments with this block",
  keys: [{ key: "e" }],
  optional: true,
  enabled: ({ editor }) => editor.state.selectedNodes.size === 1,
  perform: ({ editor, sync }) => {
    const [id, ...more] = editor.state.selectedNodes,
      { path } = editor.state;
    if (!isHere(experiments, editor.state.acts)) return editor.notify("This workbench has no experiments with blocks.");
    if (!id || more.length) return editor.notify("Select one block first, then press E to list experiments with it.");
    sync.act("cards", { block: path ? `${path}.${id}` : id });
  },
};

export const tidy: Action = {
  name: "tidy",
  label: ({ at }) => (at ? "Lay out everything" : "Lay out these"),
  title: "Tidy up the layout",
  keys: [{ key: "l" }],
  inMenu: ({ editor, at }) => at !== undefined || editor.state.selectedNodes.size > 1,
  perform: ({ editor, at }) => {
    if (at) editor.select([]);
    tidyUp(editor);
  },
};

export const direction: Action = {
  name: "direction",
  keys: [{ key: "L" }],
  title: ({ editor: { state } }) =>
    state.direction === "down" ? "Data flows down; lay it out to the right" : "Data flows right; lay it out downwards",
  perform: ({ editor }) => layOut(editor, editor.state.direction === "down" ? "right" : "down"),
};

/** Colour the blocks by the next measure, after the last by their families again. */
export const heat: Action = {
  name: "heat",
  keys: [{ key: "h" }],
  perform: ({ editor }) => {
    const all = ["", ...Object.keys(MEASURES)] as EditorState["heat"][];
    editor.set({ heat: all[(all.indexOf(editor.state.heat) + 1) % all.length] ?? "" });
  },
};

/** One sample goes through the drawing: every block shows its value. */
export const oneSample: Action = {
  name: "sample",
  label: ({ editor }) => (sampleStore(editor).getState().open ? "Close the sample" : "Look at one sample"),
  title: "Run one sample and show its values on every block",
  keys: [{ key: "v" }],
  perform: ({ editor }) => toggleSample(editor),
};

const stepping = (how: "over" | "into" | "out", keys: Keys): Action => ({
  name: `step-${how}`,
  title: "Go through one training step, event by event",
  keys: [keys],
  perform: ({ editor, root }) => {
    // the block of the event is outlined, so none that had the keyboard before
    if (root?.querySelector(".react-flow__node:focus, .react-flow__edge:focus")) root.focus({ preventScroll: true });
    stepOn(editor, how);
  },
});

/** The keys of a debugger. */
export const STEPS: readonly Action[] = [
  stepping("over", { key: "F10" }),
  stepping("into", { key: "F11" }),
  stepping("out", { key: "F11", shift: true }),
];

function toProblem({ editor, root }: Context, step: 1 | -1): void {
  const all = problems(editor.state.annotations);
  if (!all.length) return editor.notify("No problems: every shape fits.");
  const now = all.findIndex((p) => editor.state.selectedNodes.has(shownAs(p.node, editor.state.path)));
  const next = all[(Math.max(now, step < 0 ? 0 : -1) + step + all.length) % all.length];
  if (!next) return;
  editor.show(next.node);
  if (root) focusBlock(root, shownAs(next.node, editor.state.path));
}

export const nextProblem: Action = {
  name: "next-problem",
  keys: [{ key: "p" }],
  perform: (context) => toProblem(context, 1),
};
export const previousProblem: Action = {
  name: "previous-problem",
  keys: [{ key: "P" }],
  perform: (context) => toProblem(context, -1),
};

export const fixes: Action = {
  name: "fixes",
  keys: [{ key: "x" }],
  perform: ({ editor, root }) => root && focusFix(root, editor),
};

/** The menu of the selected blocks beside the first of them, or that of the drawing. */
export const openMenu: Action = {
  name: "menu",
  keys: [{ key: "m" }],
  perform: ({ editor, root }) => {
    const [id = ""] = [...editor.state.selectedNodes, ...editor.state.selectedNotes];
    const stage = root?.querySelector(".canvas")?.getBoundingClientRect();
    const block = id && root?.querySelector(`.react-flow__node[data-id="${CSS.escape(id)}"]`)?.getBoundingClientRect();
    if (!stage) return;
    const x = block ? block.right - stage.left + 6 : stage.width / 2 - 100,
      y = block ? block.top - stage.top : stage.height / 3;
    const place = { x: Math.max(0, Math.min(x, stage.width - 280)), y: Math.max(0, Math.min(y, stage.height - 340)) };
    editor.set({ overlay: { kind: "menu", ...place, ...(id ? {} : { at: editor.middle() }) } });
  },
};

const tab = (name: Tab, key: string): Action => ({
  name: `tab-${name}`,
  keys: [{ key }],
  perform: ({ editor }) => {
    openPanel("side");
    editor.set({ tab: name });
  },
});

export const TABS: readonly Action[] = [tab("block", "1"), tab("source", "2"), tab("problems", "3")];

export const help: Action = {
  name: "help",
  title: "Keyboard shortcuts",
  keys: [{ key: "?" }],
  perform: ({ editor }) => editor.set({ help: true }),
};
