import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { besideBlock, readNotes, writeNotes } from "../src/model/notes";
import type { Json } from "../src/protocol";
import { groupSelected, openNode, ungroupNode } from "../src/store/compositeCommands";
import { addNote, endNote, addNoteHere, pinNote, resizeNote, writeNote } from "../src/store/noteCommands";
import { copied, move, pasteText, removeSelected, renameNode, selectAll } from "../src/store/editCommands";
import { bench, drawing } from "./shared";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

type B = ReturnType<typeof bench>;
const notes = (b: B) => b.editor.state.drawing.notes;
const written = (b: B) => writeNotes(b.editor.state.whole, []);

function pinned(b: B, node: string, text: string): void {
  addNote(b.editor, { node });
  writeNote(b.editor, b.editor.state.editedNote, text, 40);
  endNote(b.editor, b.editor.state.editedNote);
}

describe("a note pinned to a block", () => {
  test("stays at the same distance when the block moves, and takes its new name", () => {
    const b = bench();
    pinned(b, "conv1", "3x3 is enough");
    const at = notes(b)[0]!.at;
    move(b.editor, { conv1: [800, 800] });
    renameNode(b.editor, "conv1", "stem");
    expect(written(b)).toEqual([{ text: "3x3 is enough", node: "stem", at: [...at] }]);
  });

  test("goes with its block, and comes back with it on undo", () => {
    const b = bench();
    pinned(b, "conv1", "gone soon");
    b.editor.select(["conv1"]);
    removeSelected(b.editor);
    expect(notes(b)).toEqual([]);
    b.editor.undo();
    expect(notes(b).map((n) => n.text)).toEqual(["gone soon"]);
  });

  test("can be let go and stays where it is", () => {
    const b = bench();
    pinned(b, "conv1", "free me");
    const [x, y] = notes(b)[0]!.at;
    pinNote(b.editor, notes(b)[0]!.id, null);
    expect(written(b)).toEqual([{ text: "free me", at: [312 + x, y] }]);
  });

  test("a free note can be pinned, and stays where it is until the block moves", () => {
    const b = bench();
    addNote(b.editor, { at: [400, 200] });
    writeNote(b.editor, "note-1", "mine", 40);
    pinNote(b.editor, "note-1", "conv1");
    expect(written(b)).toEqual([{ text: "mine", node: "conv1", at: [88, 200] }]);
  });

  test("goes into the composite with its block and out again", () => {
    const b = bench();
    pinned(b, "conv1", "inside");
    b.editor.select(["conv1"]);
    groupSelected(b.editor, "Part");
    expect(written(b)).toMatchObject([{ text: "inside", node: "conv1", inside: "Part" }]);
    const [use = ""] = b.editor.state.selectedNodes;
    openNode(b.editor, use);
    expect(notes(b).map((n) => n.node)).toEqual(["conv1"]);
    b.editor.open([]);
    ungroupNode(b.editor, use);
    expect(written(b)).toMatchObject([{ text: "inside", node: "conv1" }, { inside: "Part" }]);
    expect(written(b)[0]).not.toHaveProperty("inside");
  });
});

describe("writing", () => {
  test("without a selected block a note is free, around the middle of what is seen", () => {
    const b = bench();
    addNoteHere(b.editor, [500, 400]);
    expect(notes(b)[0]).toMatchObject({ text: "", at: [408, 368] });
    expect(notes(b)[0]!.node).toBe(undefined);
  });

  test("a free note covers no block: it stands below one that is in the way", () => {
    const b = bench();
    addNoteHere(b.editor, [400, 40]);
    expect(notes(b)[0]!.at).toEqual([304, 88]);
  });

  test("a note left empty goes", () => {
    const b = bench();
    addNoteHere(b.editor, [0, 0]);
    endNote(b.editor, b.editor.state.editedNote);
    expect(notes(b)).toEqual([]);
    expect(b.editor.state.editedNote).toBe("");
  });

  test("it grows with its text, and resizing keeps to the grid and a least size", () => {
    const b = bench();
    addNoteHere(b.editor, [0, 0]);
    const id = b.editor.state.editedNote;
    writeNote(b.editor, id, "one\ntwo\nthree\nfour\nfive", 131);
    expect(notes(b)[0]!.size).toEqual([192, 136]);
    resizeNote(b.editor, id, { width: 303, height: 10 }, [8, 8]);
    expect(notes(b)[0]).toMatchObject({ at: [8, 8], size: [304, 40] });
  });

  test("one that stands above its block grows upwards", () => {
    const b = bench();
    addNote(b.editor, { node: "conv1" });
    writeNote(b.editor, "note-1", "many\nlines", 96);
    expect(notes(b)[0]).toMatchObject({ at: [0, -108], size: [192, 96] });
  });

  test("words typed in one go are one step back, and no reason to check the network again", () => {
    const b = bench();
    const { semRev } = b.editor.state;
    addNoteHere(b.editor, [0, 0]);
    vi.advanceTimersByTime(1000);
    const id = b.editor.state.editedNote;
    for (const text of ["a", "ab", "abc"]) writeNote(b.editor, id, text, 40);
    expect(b.editor.state.past).toHaveLength(2);
    expect(b.editor.state.semRev).toBe(semRev);
  });
});

describe("in the file", () => {
  const { graph } = drawing();

  test("what is written is read again as it was", () => {
    const json: Json[] = [
      { text: "free", at: [1, 2] },
      { text: "<b>text</b>", node: "conv1", at: [0, -80], size: [200, 64] },
    ];
    const { notes: read, strange } = readNotes(json, graph);
    expect(strange).toEqual([]);
    expect(writeNotes({ graph, layout: {}, notes: read }, [])).toEqual(json);
  });

  test("what is no note of this version is kept and sent back", () => {
    const odd: Json[] = [
      7,
      { text: "x" },
      { text: "to nobody", node: "gone", at: [0, 0] },
      { text: "y", at: [0, 0], colour: "red" },
      { text: "z", at: [0, 1e9] },
    ];
    const { notes: read, strange } = readNotes(odd, graph);
    expect(read).toEqual([]);
    expect(strange).toEqual(odd);
  });

  test("a message carries the notes, and what came with them unread", () => {
    const b = bench();
    b.editor.set({ unknownNotes: [{ later: true }] });
    pinned(b, "join", "two ways");
    vi.advanceTimersByTime(3000);
    expect(b.python.sent.at(-1)?.notes).toMatchObject([{ text: "two ways", node: "join" }, { later: true }]);
  });
});

test("notes are copied and pasted with their blocks, free ones when they are selected", () => {
  const from = bench(),
    to = bench();
  pinned(from, "conv1", "pinned");
  addNote(from.editor, { at: [40, 600] });
  writeNote(from.editor, from.editor.state.editedNote, "free", 40);
  selectAll(from.editor);
  expect(pasteText(to.editor, copied(from.editor))).toBe("");
  const conv = [...to.editor.state.selectedNodes].find((id) => id.startsWith("conv"));
  expect(written(to)).toMatchObject([
    { text: "pinned", node: conv },
    { text: "free", at: [72, 632] },
  ]);
});

test("a pinned note copied without its block is free", () => {
  const b = bench();
  pinned(b, "conv1", "alone");
  const [x, y] = notes(b)[0]!.at;
  expect(pasteText(b.editor, copied(b.editor))).toBe("");
  expect(written(b)[1]).toEqual({ text: "alone", at: [312 + x + 32, y + 32] });
});

test("a new note stands where it covers no block", () => {
  const block = { id: "a", x: 0, y: 200, width: 208, height: 78 };
  expect(besideBlock(block, [], "right")).toEqual([0, -76]);
  const above = { id: "b", x: 0, y: 110, width: 208, height: 78 };
  expect(besideBlock(block, [above], "right")).toEqual([0, 90]);
  expect(besideBlock(block, [], "down")).toEqual([240, 0]);
});
