import { describe, expect, test } from "vitest";
import { saveHistory } from "../src/store/history";
import { restore, warnOfLoss, writeUnsent } from "../src/store/rescue";
import { addAt, move } from "../src/store/editCommands";
import { changed, edited, reloaded, remembers } from "./reloads";

remembers();

describe("a drawing that was not sent before a reload", () => {
  test("a drawing that was kept only aside of another tab's is offered, both in its history", () => {
    const first = edited();
    addAt(first.editor, "ReLU", [0, 200]);
    first.python.take();
    first.answer();
    first.editor.set({ elsewhere: true });
    const mine = first.editor.state.drawing.graph;
    const theirs = { ...first.python.graph, nodes: { image: { block: "Input" } }, edges: [] };
    saveHistory(first.editor);
    const { editor } = reloaded(Object.assign(first.python, { graph: theirs }));
    expect(Object.keys(editor.state.drawing.graph.nodes)).toEqual(["image"]);
    restore(editor);
    expect(editor.state.drawing.graph).toEqual(mine);
    editor.undo();
    expect(Object.keys(editor.state.drawing.graph.nodes)).toEqual(["image"]);
    editor.undo();
    expect(Object.keys(editor.state.drawing.graph.nodes)).toContain("relu2");
  });

  test("a move that Python never heard of is offered after a reload", () => {
    const first = edited();
    move(first.editor, { conv1: [480, 8] }, "");
    writeUnsent(first.editor);
    const { editor } = reloaded(first.python);
    expect(editor.state.rescue).not.toBeNull();
    restore(editor);
    expect(editor.state.drawing.layout.conv1).toEqual([480, 8]);
  });

  test("what the same tab drew just before a reload is there again, with its history", () => {
    const first = edited();
    const moved = first.editor.state.drawing;
    move(first.editor, { conv1: [480, 8] }, "");
    addAt(first.editor, "ReLU", [0, 900]);
    writeUnsent(first.editor);
    saveHistory(first.editor);
    const { editor, python } = reloaded(first.python);
    expect(editor.state.rescue).toBeNull();
    expect(editor.state.drawing.layout.conv1).toEqual([480, 8]);
    expect(editor.state.rev).toBeGreaterThan(editor.state.ackRev);
    expect(Object.keys(python.sent.at(-1)?.graph?.nodes ?? {})).toEqual(Object.keys(editor.state.drawing.graph.nodes));
    editor.undo();
    editor.undo();
    expect(editor.state.drawing).toEqual(moved);
  });

  test("but where Python has what this tab never drew, the student chooses", () => {
    const first = edited();
    addAt(first.editor, "ReLU", [0, 900]);
    writeUnsent(first.editor);
    saveHistory(first.editor);
    const { editor } = reloaded(changed(first.python));
    expect(editor.state.rescue).not.toBeNull();
    expect(Object.keys(editor.state.drawing.graph.nodes)).toContain("theirs");
  });

  test("a move of blocks in another tab is such a drawing, too", () => {
    const first = edited();
    move(first.editor, { conv1: [480, 8] }, "");
    writeUnsent(first.editor);
    saveHistory(first.editor);
    const there = { ...first.python.layout, image: [-96, 40] as [number, number] };
    const { editor, python } = reloaded(Object.assign(first.python, { layout: there }));
    expect(editor.state.rescue).not.toBeNull();
    expect(editor.state.drawing.layout.image).toEqual([-96, 40]);
    expect(python.sent).toEqual([]);
    restore(editor);
    expect(editor.state.drawing.layout.conv1).toEqual([480, 8]);
    editor.undo();
    editor.redo();
    expect(editor.state.drawing.layout.conv1).toEqual([480, 8]);
  });

  test("moves in quick succession, of which Python has some, are taken without a question", () => {
    const first = edited();
    move(first.editor, { conv1: [480, 8] }, "conv1");
    first.sync.flush();
    first.python.take();
    move(first.editor, { conv1: [488, 8] }, "conv1");
    writeUnsent(first.editor);
    saveHistory(first.editor);
    const { editor } = reloaded(first.python);
    expect(first.python.layout.conv1).toEqual([480, 8]);
    expect(editor.state.rescue).toBeNull();
    expect(editor.state.drawing.layout.conv1).toEqual([488, 8]);
  });

  test("moves that Python kept only aside of another tab's moves are offered", () => {
    const first = edited(),
      before = first.python.layout;
    move(first.editor, { conv1: [480, 8] }, "");
    first.sync.flush();
    first.python.take();
    first.answer();
    first.editor.set({ elsewhere: true });
    saveHistory(first.editor);
    const { editor } = reloaded(
      Object.assign(first.python, { layout: { ...before, image: [-96, 40] as [number, number] } }),
    );
    expect(editor.state.rescue?.drawing.layout.conv1).toEqual([480, 8]);
    expect(editor.state.drawing.layout.image).toEqual([-96, 40]);
  });
});

describe("a drawing that Python could keep no draft of", () => {
  const asks = (editor: Parameters<typeof warnOfLoss>[0]) => {
    let asked = false;
    warnOfLoss(editor, {
      preventDefault: () => {
        asked = true;
      },
      returnValue: "",
    });
    return asked;
  };

  test("the browser asks before the tab goes, until a draft or a save went well", () => {
    const { editor, sync, python } = edited();
    expect(asks(editor)).toBe(false);
    sync.receive(python.down({ unkept: true }));
    expect(asks(editor)).toBe(true);
    sync.receive(python.down({ unkept: false }));
    expect(asks(editor)).toBe(false);
  });
});
