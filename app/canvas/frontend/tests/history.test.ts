import { describe, expect, test } from "vitest";
import { toWire } from "../src/model/graph";
import { allPlaces } from "../src/model/scope";
import { forgetComposite, closeComposite, groupSelected, openNode } from "../src/store/compositeCommands";
import { restoreHistory, saveHistory } from "../src/store/history";
import { restore, writeUnsent } from "../src/store/rescue";
import { addAt, move, removeSelected, setSetting } from "../src/store/editCommands";
import { changed, edited, kept, reloaded, remembers } from "./reloads";
import { bench, catalogue, Python } from "./shared";

remembers();

describe("undo after a reload", () => {
  test("goes back step by step, and forth again", () => {
    const first = edited();
    saveHistory(first.editor);
    const { editor } = reloaded(first.python);
    expect(editor.state.past).toHaveLength(2);
    editor.undo();
    expect(editor.state.drawing.graph).toEqual(first.editor.state.past[1]?.graph);
    editor.undo();
    expect(Object.keys(editor.state.drawing.graph.nodes)).not.toContain("relu1");
    editor.redo();
    editor.redo();
    expect(editor.state.drawing.graph).toEqual(first.editor.state.drawing.graph);
  });

  test("what was undone can be redone", () => {
    const first = edited();
    first.editor.undo();
    first.python.take();
    saveHistory(first.editor);
    const { editor } = reloaded(first.python);
    editor.redo();
    expect(Object.keys(editor.state.drawing.graph.nodes)).toContain("relu2");
  });

  test("is of the whole drawing, with the places inside composites, while one is open", () => {
    const first = bench();
    const { editor: one } = first;
    one.select(["conv1"]);
    groupSelected(one, "Stage");
    first.python.take();
    first.answer();
    openNode(one, "stage1");
    move(one, { conv1: [48, 72] }, "");
    addAt(one, "ReLU", [96, 240]);
    const inside = Object.keys(one.state.drawing.graph.nodes);
    const whole = toWire(one.state.whole.graph, catalogue);
    first.python.take();
    saveHistory(one);
    const { editor } = reloaded(first.python);
    expect(editor.state.past).toHaveLength(3);
    editor.undo();
    expect(allPlaces(editor.state.whole)["Stage.conv1"]).toEqual([48, 72]);
    expect(Object.keys(editor.state.drawing.graph.nodes)).toContain("stage1");
    editor.redo();
    expect(toWire(editor.state.whole.graph, catalogue)).toEqual(whole);
    openNode(editor, "stage1");
    expect(Object.keys(editor.state.drawing.graph.nodes)).toEqual(inside);
    closeComposite(editor);
    editor.undo();
    editor.undo();
    editor.undo();
    expect(Object.keys(editor.state.drawing.graph.nodes)).toContain("conv1");
    expect(editor.state.whole.graph.composites).toEqual(one.state.past[0]?.graph.composites);
  });

  test("goes on behind a composite that was forgotten", () => {
    const first = edited();
    first.editor.select(["relu1"]);
    groupSelected(first.editor, "Stage");
    removeSelected(first.editor);
    forgetComposite(first.editor, "Stage");
    for (let i = 0; i < 2; i++) {
      first.python.take();
      first.answer();
    }
    const { composites: _, ...bare } = first.python.graph;
    first.python.graph = bare; // as Python writes it: without what is empty
    saveHistory(first.editor);
    const { editor } = reloaded(first.python);
    for (let i = 0; i < 3; i++) editor.undo();
    expect(Object.keys(editor.state.drawing.graph.nodes)).toContain("relu1");
  });

  test("is forgotten where the drawing is another one by now", () => {
    const first = edited();
    saveHistory(first.editor);
    const { editor } = bench(new Python("again"));
    expect(editor.state.past).toEqual([]);
    expect(kept.size).toBe(0);
  });

  test("goes on before edits that were not sent yet", () => {
    const first = edited();
    addAt(first.editor, "ReLU", [0, 200]); // never answered
    saveHistory(first.editor);
    writeUnsent(first.editor);
    const { editor } = reloaded(first.python);
    expect(Object.keys(editor.state.drawing.graph.nodes)).toContain("relu3");
    for (const gone of ["relu3", "relu2", "relu1"]) {
      editor.undo();
      expect(Object.keys(editor.state.drawing.graph.nodes)).not.toContain(gone);
    }
    for (let i = 0; i < 3; i++) editor.redo();
    expect(editor.state.drawing.graph).toEqual(first.editor.state.drawing.graph);
  });

  test("unsent edits and their history wait over further reloads until they are chosen", () => {
    const first = edited();
    addAt(first.editor, "ReLU", [0, 200]);
    saveHistory(first.editor);
    writeUnsent(first.editor);
    const second = reloaded(changed(first.python));
    second.answer();
    saveHistory(second.editor);
    writeUnsent(second.editor);
    const { editor } = reloaded(first.python);
    expect(editor.state.rescue).not.toBeNull();
    restore(editor);
    editor.undo();
    editor.undo();
    expect(editor.state.drawing.graph).toEqual(first.editor.state.past[1]?.graph);
  });

  test("what is drawn before the unsent edits are taken stays one step back", () => {
    const first = edited();
    addAt(first.editor, "ReLU", [0, 200]);
    saveHistory(first.editor);
    writeUnsent(first.editor);
    const { editor } = reloaded(changed(first.python));
    setSetting(editor, "conv1", "out_channels", 99);
    restore(editor);
    editor.undo();
    expect(editor.state.drawing.graph.nodes.conv1?.settings?.out_channels).toBe(99);
  });

  test("keeps no more than fits, and the newest of it", () => {
    const { editor } = edited();
    const long = "x".repeat(300_000);
    for (let i = 0; i < 12; i++) setSetting(editor, "conv1", `note${i % 2}`, long + i, "now");
    saveHistory(editor);
    const text = [...kept.values()][0] ?? "";
    expect(text.length).toBeLessThan(2_100_000);
    restoreHistory(editor);
    expect(editor.state.past.length).toBeGreaterThan(1);
    expect(editor.state.past.length).toBeLessThan(12);
  });

  test("what can be redone gets as much room as what can be undone", () => {
    const { editor } = edited();
    const long = "x".repeat(150_000);
    for (let i = 0; i < 20; i++) setSetting(editor, "conv1", "bias", long + i, "now");
    for (let i = 0; i < 3; i++) editor.undo();
    const next = editor.state.future.at(-1)?.graph;
    saveHistory(editor);
    editor.set({ past: [], future: [] });
    restoreHistory(editor);
    expect(editor.state.future).toHaveLength(3);
    expect(editor.state.past.length).toBeGreaterThan(5);
    editor.redo();
    expect(editor.state.drawing.graph).toEqual(next);
  });

  test("of five hundred edits, what stays the same is written once", () => {
    const { editor } = edited();
    for (let i = 0; i < 40; i++) addAt(editor, "ReLU", [0, 100 * i]);
    editor.select(["relu9", "relu10"]);
    groupSelected(editor, "Stage");
    for (let i = 0; i < 500; i++) move(editor, { [`relu${12 + (i % 20)}`]: [8 * i, 8] }, "");
    saveHistory(editor);
    expect([...kept.values()].join("").length).toBeLessThan(60_000);
    const before = editor.state.past;
    editor.set({ past: [] });
    restoreHistory(editor);
    expect(editor.state.past).toEqual(before);
  });

  test("a broken memory is no history and no error", () => {
    kept.set("layerloom:undo:d", "{");
    expect(bench().editor.state.past).toEqual([]);
  });
});
