import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { capsOf, type Context, isEnabled, isInMenu, labelOf, titleOf } from "../src/actions/action";
import {
  ACTIONS,
  actionOf,
  ARRANGE_MENU,
  menuCaps,
  PLACE_MENU,
  SELECTION_MENU,
  SHORTCUTS,
} from "../src/actions/actions";
import { group, redo, undo } from "../src/actions/editActions";
import { isShortcut } from "../src/actions/keyboard";
import { caps, isPressed, type Keys, type Pressed } from "../src/actions/keys";
import { direction, fit } from "../src/actions/viewActions";
import { addNote } from "../src/store/noteCommands";
import { bench } from "./shared";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const NONE = { key: "", code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const event = (part: Partial<Pressed>): Pressed => ({ ...NONE, ...part });

/** The event of a key, as a keyboard with Latin letters makes it. */
const pressed = ({ key, mod = false, alt = false, shift = false }: Keys): Pressed =>
  event({ key: alt ? "ä" : key, code: alt ? key : "", ctrlKey: mod, altKey: alt, shiftKey: shift });

const context = (more: Partial<Context> = {}): Context => ({ ...bench(), root: null, ...more });
const names = (menu: typeof SELECTION_MENU, c: Context) => menu.filter((a) => isInMenu(a, c)).map((a) => a.name);

test.each(
  ACTIONS.flatMap((action) => (action.keys ?? []).map((keys) => [caps(keys).join("+"), keys, action] as const)),
)("%s is one action's alone, and a key of the canvas wherever it is pressed", (_, keys, action) => {
  expect(ACTIONS.filter((a) => a.keys?.some((k) => isPressed(k, pressed(keys))))).toEqual([action]);
  expect(isShortcut(pressed(keys))).toBe(true);
});

test("no two actions have the same name", () => expect(new Set(ACTIONS.map((a) => a.name)).size).toBe(ACTIONS.length));

test("every action with a key is in the list of keys, once", () => {
  const listed = SHORTCUTS.flatMap(([, rows]) => rows.flatMap((row) => row.actions));
  expect(new Set(listed)).toEqual(new Set(ACTIONS.filter((a) => a.keys)));
  expect(listed.length).toBe(new Set(listed).size);
});

test("every action is on a menu, on the toolbar or in the list of keys", () => {
  const menus = [...SELECTION_MENU, ...PLACE_MENU, ...ARRANGE_MENU.flat()];
  const lost = ACTIONS.filter((a) => !a.keys && !menus.includes(a));
  expect(lost).toEqual([]);
});

describe("a key", () => {
  test("of a debugger is told from the one with Shift", () => {
    expect(actionOf(event({ key: "F11" }))?.name).toBe("step-into");
    expect(actionOf(event({ key: "F11", shiftKey: true }))?.name).toBe("step-out");
  });

  test("is written as on the keyboard", () => {
    expect(capsOf(redo)).toEqual(["Ctrl", "Shift", "Z"]);
    expect(caps({ key: "F" })).toEqual(["Shift", "F"]);
    expect(caps({ key: "KeyV", alt: true, shift: true })).toEqual(["Alt", "Shift", "V"]);
    expect(["Escape", "/", "?", "Delete"].map((key) => caps({ key }).join())).toEqual(["Esc", "/", "?", "Delete"]);
  });

  test("with Ctrl or Cmd is told from the one with Shift, with capitals locked, too", () => {
    expect(actionOf(event({ key: "Z", ctrlKey: true }))).toBe(undo);
    expect(actionOf(event({ key: "Z", metaKey: true, shiftKey: true }))).toBe(redo);
    expect(actionOf(event({ key: "y", ctrlKey: true }))).toBe(redo);
  });

  test("that writes a character with AltGr is none", () => {
    expect(actionOf(event({ key: "s", code: "KeyS", ctrlKey: true, altKey: true }))).toBeUndefined();
  });

  test("is the canvas's for the clipboard and the arrows, and not for other letters", () => {
    expect(isShortcut(event({ key: "v", ctrlKey: true }))).toBe(true);
    expect(isShortcut(event({ key: "ArrowUp" }))).toBe(true);
    expect(isShortcut(event({ key: "r" }))).toBe(false);
    expect(isShortcut(event({ key: "r", ctrlKey: true }))).toBe(false);
    expect(isShortcut(event({ key: "ArrowUp", altKey: true }))).toBe(false);
  });
});

describe("a button", () => {
  test("says its key, and the way the data flow", () => {
    const c = context();
    expect(titleOf(undo, c)).toBe("Undo (Ctrl+Z): nothing to undo yet");
    expect(titleOf(fit, c)).toBe("Show everything (F)");
    const lays = {
      down: "Data flows down; lay it out to the right (Shift+L)",
      right: "Data flows right; lay it out downwards (Shift+L)",
    };
    expect(titleOf(direction, c)).toBe(lays[c.editor.state.direction]);
    direction.perform(c);
    expect(titleOf(direction, c)).toBe(lays[c.editor.state.direction]);
  });

  test("is off while there is nothing to do", () => {
    const c = context();
    expect([isEnabled(undo, c), isEnabled(redo, c), isEnabled(group, c)]).toEqual([false, false, false]);
    c.editor.select(["conv1"]);
    ACTIONS.find((a) => a.name === "delete")?.perform(c);
    expect([isEnabled(undo, c), isEnabled(redo, c)]).toEqual([true, false]);
    expect(titleOf(undo, c)).toBe("Undo (Ctrl+Z)");
    undo.perform(c);
    expect([isEnabled(undo, c), isEnabled(redo, c)]).toEqual([false, true]);
    expect(c.editor.state.drawing.graph.nodes.conv1).toBeDefined();
  });
});

describe("the menu", () => {
  test("offers no experiments where the server has none", () => {
    const c = context();
    c.editor.select(["conv1"]);
    c.editor.set({ acts: [] });
    expect(names(SELECTION_MENU, c)).toEqual(["group", "part", "look", "duplicate", "note", "text", "delete"]);
  });

  test("of one block, of several, and of a place", () => {
    const c = context();
    c.editor.select(["conv1"]);
    expect(names(SELECTION_MENU, c)).toEqual(["group", "part", "look", "cards", "duplicate", "note", "text", "delete"]);
    c.editor.select(["conv1", "join"]);
    expect(names(SELECTION_MENU, c)).toEqual(["group", "part", "look", "tidy", "duplicate", "text", "delete"]);
    const at = { ...c, at: [48, 96] as const };
    expect(PLACE_MENU.map((a) => labelOf(a, at))).toEqual([
      "Write a note here",
      "Paste blocks from text…",
      "Select everything",
      "Lay out everything",
      "Show everything",
      "Look at one sample",
    ]);
    expect(PLACE_MENU.map(menuCaps)).toEqual(["N", "Ctrl V", "Ctrl A", "L", "F", "V"]);
  });

  test("of a note and a block pins the one to the other, and takes it off again", () => {
    const c = context();
    addNote(c.editor, { at: [0, 0] });
    const id = c.editor.state.drawing.notes[0]?.id ?? "";
    expect(names(SELECTION_MENU, c)).toEqual(["write", "duplicate", "text", "delete"]);
    c.editor.select(["conv1"], [], [id]);
    expect(names(SELECTION_MENU, c)).toEqual(["pin", "group", "part", "look", "cards", "duplicate", "text", "delete"]);
    const pin = SELECTION_MENU.find((a) => a.name === "pin");
    expect(pin && labelOf(pin, c)).toBe("Pin the note to conv1");
    pin?.perform(c);
    expect(names(SELECTION_MENU, c)).toContain("unpin");
    const unpin = SELECTION_MENU.find((a) => a.name === "unpin");
    expect(unpin && labelOf(unpin, c)).toBe("Unpin the note from conv1");
    unpin?.perform(c);
    expect(c.editor.state.drawing.notes[0]?.node).toBeUndefined();
  });

  test("writes a note at the place that was pressed", () => {
    const c = context({ at: [48, 96] });
    PLACE_MENU[0]?.perform(c);
    expect(c.editor.state.drawing.notes[0]).toMatchObject({ at: [48, 96], text: "" });
  });
});
