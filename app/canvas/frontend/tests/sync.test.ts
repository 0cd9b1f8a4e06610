import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { edgeId } from "../src/model/graph";
import type { Up } from "../src/protocol";
import { Editor } from "../src/store/editor";
import { HttpChannel } from "../src/store/httpChannel";
import { restore } from "../src/store/rescue";
import { Sync } from "../src/store/sync";
import { addAt, move, setSetting } from "../src/store/editCommands";
import { bench, fixture, Python, tensor } from "./shared";

const kept = new Map<string, string>();

beforeEach(() => {
  vi.useFakeTimers();
  kept.clear();
  vi.stubGlobal("localStorage", {
    getItem: (k: string) => kept.get(k) ?? null,
    setItem: (k: string, v: string) => void kept.set(k, v),
    removeItem: (k: string) => void kept.delete(k),
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const channels = (n: number) => ({ block: "Conv2d", settings: { out_channels: n, kernel_size: 3, padding: 1 } });

describe("sending", () => {
  test("a message has exactly the form that Python reads", () => {
    const { editor, python } = bench();
    setSetting(editor, "conv1", "out_channels", 8);
    move(editor, { conv1: [312, 8] });
    vi.advanceTimersByTime(2000);
    const up = python.sent[0];
    expect(up).toEqual({ ...fixture.up, doc: "d", sid: "first", rev: 2, semRev: 1, graph: fixture.up.graph });
  });

  test("typing is sent after a pause, once", () => {
    const { editor, python } = bench();
    for (const n of [1, 12, 128]) setSetting(editor, "conv1", "out_channels", n);
    expect(python.sent).toHaveLength(0);
    vi.advanceTimersByTime(60);
    expect(python.sent).toHaveLength(1);
    expect(python.sent[0]?.graph?.nodes.conv1).toEqual(channels(128));
  });

  test("the page is told when an edit was checked, and of a block that was only moved it is not", () => {
    const heard = vi.fn();
    vi.stubGlobal("dispatchEvent", heard);
    const { editor, python, answer } = bench();
    heard.mockClear();
    setSetting(editor, "conv1", "out_channels", 8);
    vi.advanceTimersByTime(2000);
    python.take();
    expect(heard).not.toHaveBeenCalled();
    answer();
    expect(heard.mock.calls.map(([event]) => event.type)).toEqual(["layerloom:checked"]);
    move(editor, { conv1: [8, 8] });
    vi.advanceTimersByTime(2000);
    python.take();
    answer();
    expect(heard).toHaveBeenCalledTimes(1);
  });

  test("moving a block changes no meaning and waits longer", () => {
    const { editor, python } = bench();
    move(editor, { conv1: [8, 8] });
    vi.advanceTimersByTime(1499);
    expect(python.sent).toHaveLength(0);
    vi.advanceTimersByTime(1);
    expect(python.sent[0]).toMatchObject({ rev: 1, semRev: 0, layout: { conv1: [8, 8] } });
  });

  test("at most one snapshot is in flight, and the newest follows the answer", () => {
    const { editor, python, answer } = bench();
    for (let i = 0; i < 5; i++) addAt(editor, "ReLU", [0, 100 * i]);
    expect(python.sent).toHaveLength(1);
    python.take();
    answer();
    expect(python.sent).toHaveLength(2);
    expect(python.sent[1]).toMatchObject({ rev: 5, semRev: 5 });
    python.take();
    answer();
    expect(python.sent).toHaveLength(2);
    expect(editor.state.status).toBe("checked");
  });

  test("without an answer the same edit is sent again, ever more patiently", () => {
    const { editor, python, answer } = bench();
    addAt(editor, "ReLU", [0, 0]);
    vi.advanceTimersByTime(4000);
    expect(python.sent.map((u) => u.rev)).toEqual([1, 1]);
    expect(editor.state.status).toBe("offline");
    vi.advanceTimersByTime(8000);
    expect(python.sent).toHaveLength(3);
    python.take();
    answer();
    expect(editor.state.status).toBe("checked");
    vi.advanceTimersByTime(60000);
    expect(python.sent).toHaveLength(3);
  });

  test("on the way to another page nothing is said that would cut its script off", () => {
    let address = "/build";
    const said: Up[] = [],
      python = new Python(),
      editor = new Editor("d");
    const sync = new Sync(editor, "tab", new HttpChannel(undefined), () => address);
    sync.connect((up) => said.push(up));
    sync.receive(python.down());
    addAt(editor, "ReLU", [0, 0]);
    vi.advanceTimersByTime(100);
    expect(said).toHaveLength(1);
    address = "/data";
    vi.advanceTimersByTime(60000);
    expect(said).toHaveLength(1);
    address = "/build";
    vi.advanceTimersByTime(15000);
    expect(said).toHaveLength(2);
    sync.leave("/train");
    vi.advanceTimersByTime(60000);
    expect(said).toHaveLength(2);
    python.take(said[1]);
    sync.receive(python.down());
    addAt(editor, "ReLU", [0, 0]);
    vi.advanceTimersByTime(100);
    expect(said).toHaveLength(3);
  });

  test("what waits is sent at once when something outside is pressed", () => {
    const { editor, sync, python } = bench();
    setSetting(editor, "conv1", "out_channels", 8);
    sync.flush();
    expect(python.sent[0]?.graph?.nodes.conv1).toEqual(channels(8));
  });

  test("an action travels with the drawing it was pressed on", () => {
    const { editor, sync, python, answer } = bench();
    setSetting(editor, "conv1", "out_channels", 8);
    sync.act("train");
    expect(python.sent).toHaveLength(1);
    expect(python.sent[0]?.action?.name).toBe("train");
    expect(python.sent[0]?.graph?.nodes.conv1).toEqual(channels(8));
    python.take();
    answer();
    vi.advanceTimersByTime(10000);
    expect(python.sent).toHaveLength(1);
  });

  test("an action without an edit is sent too, and again until it is acknowledged", () => {
    const { sync, python, answer } = bench();
    sync.act("train");
    vi.advanceTimersByTime(4000);
    expect(python.sent.map((u) => u.action?.id)).toEqual(["tab-1", "tab-1"]);
    python.take();
    answer();
    vi.advanceTimersByTime(60000);
    expect(python.sent).toHaveLength(2);
  });
});

describe("receiving", () => {
  test("an answer never takes back what was typed since", () => {
    const { editor, python, answer } = bench();
    addAt(editor, "ReLU", [0, 0]);
    python.take();
    setSetting(editor, "conv1", "out_channels", 99);
    answer();
    expect(editor.state.drawing.graph.nodes.conv1).toEqual(channels(99));
    expect(editor.state.status).toBe("checking");
  });

  test("a late answer of an interrupted run is ignored", () => {
    const { editor, sync, python, answer } = bench();
    const late = python.down({ annotations: { ...python.down().annotations!, params: 1 } });
    addAt(editor, "ReLU", [0, 0]);
    python.take();
    answer();
    sync.receive(late);
    expect(editor.state.annotations.params).toBe(0);
    expect(editor.state.ackRev).toBe(1);
  });

  test("equal annotations keep their objects, so that nothing redraws", () => {
    const { editor, sync, python } = bench();
    const note = () => ({
      ...python.down().annotations!,
      nodes: { conv1: { params: 3, outputs: { output: tensor(["N", 4]) } }, join: { params: Math.random() } },
    });
    sync.receive(python.down({ annotations: note() }));
    const before = editor.state.annotations.nodes.conv1;
    sync.receive(python.down({ annotations: note() }));
    expect(editor.state.annotations.nodes.conv1).toBe(before);
    expect(editor.state.annotations.nodes.join).not.toBe(undefined);
  });

  test("a drawing that Python refuses is told and not sent for ever", () => {
    const { editor, sync, python } = bench();
    addAt(editor, "ReLU", [0, 0]);
    sync.receive(python.down({ refused: { rev: 1, message: "graph.nodes: too many." } }));
    vi.advanceTimersByTime(60000);
    expect(python.sent).toHaveLength(1);
    expect(editor.state).toMatchObject({ status: "refused", refusal: "graph.nodes: too many." });
  });

  test("a fresh component asks for drawing and catalogue when they do not come", () => {
    const python = new Python();
    python.needs = false;
    const { editor, answer } = bench(python);
    expect(python.sent[0]).toMatchObject({ graph: null, need: ["graph", "catalogue"] });
    python.needs = true;
    python.seq += 1;
    answer();
    expect(editor.state.loaded).toBe(true);
    expect(Object.keys(editor.state.drawing.graph.nodes)).toContain("conv1");
  });
});

describe("a Python that was started again", () => {
  test("gets the unsent edits of this tab", () => {
    const { editor, sync, python } = bench();
    addAt(editor, "ReLU", [0, 0]);
    const again = new Python("second");
    sync.connect((up) => again.sent.push(structuredClone(up)));
    sync.receive(again.down());
    expect(python.sent).toHaveLength(1);
    expect(Object.keys(again.sent[0]?.graph?.nodes ?? {})).toContain("relu1");
    again.take();
    sync.receive(again.down());
    expect(editor.state.status).toBe("checked");
  });

  test("with what another tab drew meanwhile is not overwritten by unsent edits: the student chooses", () => {
    const { editor, sync, python } = bench();
    move(editor, { conv1: [480, 8] }, "");
    const again = new Python("second");
    again.layout = { ...python.layout, image: [-96, 40] };
    sync.connect((up) => again.sent.push(structuredClone(up)));
    sync.receive(again.down());
    vi.advanceTimersByTime(60_000);
    expect(again.sent).toEqual([]);
    expect(editor.state.drawing.layout.image).toEqual([-96, 40]);
    restore(editor);
    expect(editor.state.drawing.layout.conv1).toEqual([480, 8]);
    vi.advanceTimersByTime(60_000);
    expect(again.sent[0]?.layout?.conv1).toEqual([480, 8]);
  });

  test("shows its drawing where this tab has nothing unsent, as one undo step", () => {
    const { editor, sync, python, answer } = bench();
    addAt(editor, "ReLU", [0, 0]);
    python.take();
    answer();
    const again = new Python("second");
    again.graph = { nodes: { image: { block: "Input", settings: { shape: [3] } } }, edges: [] };
    sync.receive(again.down());
    expect(Object.keys(editor.state.drawing.graph.nodes)).not.toContain("relu1");
    editor.undo();
    expect(Object.keys(editor.state.drawing.graph.nodes)).toContain("relu1");
  });

  test("that began before our last edit was kept never takes that edit away", () => {
    const { editor, sync, python, answer } = bench();
    addAt(editor, "ReLU", [0, 0]);
    python.take();
    answer();
    const again = new Python("second"); // another session for the same page, with the draft before
    sync.connect((up) => again.sent.push(structuredClone(up)));
    sync.receive(again.down());
    expect(Object.keys(editor.state.drawing.graph.nodes)).toContain("relu1");
    expect(Object.keys(again.sent[0]?.graph?.nodes ?? {})).toContain("relu1");
    expect(editor.state.past).toHaveLength(1);
  });

  test("shows what was opened since the student left this drawing", () => {
    const { editor, sync, python, answer } = bench();
    addAt(editor, "ReLU", [0, 0]);
    python.take();
    answer();
    sync.disconnect();
    const again = new Python("second");
    sync.connect((up) => again.sent.push(structuredClone(up)));
    sync.receive(again.down());
    expect(Object.keys(editor.state.drawing.graph.nodes)).not.toContain("relu1");
  });

  test("accepts the next edits, though it counts from the beginning", () => {
    const { editor, sync, python, answer } = bench();
    for (let i = 0; i < 7; i++) {
      addAt(editor, "ReLU", [0, 100 * i]);
      python.take();
      answer();
    }
    const again = new Python("second");
    again.graph = python.graph;
    sync.connect((up) => again.sent.push(structuredClone(up)));
    sync.receive(again.down());
    addAt(editor, "ReLU", [500, 0]);
    again.take();
    sync.receive(again.down());
    expect(editor.state.status).toBe("checked");
    expect(Object.keys(again.graph.nodes)).toContain("relu8");
  });
});

describe("a drawing put in place by Python", () => {
  test("replaces ours, and undo brings ours back", () => {
    const { editor, python, answer } = bench();
    python.epoch = 2;
    python.rev = python.semRev = 1;
    python.graph = { nodes: { only: { block: "ReLU" } }, edges: [] };
    python.needs = true;
    python.seq += 1;
    answer();
    expect(Object.keys(editor.state.drawing.graph.nodes)).toEqual(["only"]);
    expect(editor.state.status).toBe("checked");
    editor.undo();
    expect(editor.state.drawing.graph.edges.map(edgeId)).toContain("image.output -> conv1.input");
    expect(python.sent[0]).toMatchObject({ epoch: 2, rev: 2 });
  });
});

describe("a tab closed too early", () => {
  test("unsent edits are offered on the next visit, and taken as an edit", () => {
    const first = bench();
    first.sync.disconnect();
    addAt(first.editor, "ReLU", [0, 0]);
    vi.advanceTimersByTime(300);
    const second = bench();
    expect(second.editor.state.rescue?.drawing.graph.nodes).toHaveProperty("relu1");
    restore(second.editor);
    expect(second.editor.state.drawing.graph.nodes).toHaveProperty("relu1");
    expect(second.python.sent).toHaveLength(1);
  });

  test("edits that Python has are offered to nobody", () => {
    const first = bench();
    addAt(first.editor, "ReLU", [0, 0]);
    vi.advanceTimersByTime(300);
    first.python.take();
    first.answer();
    expect(kept.size).toBe(0);
  });
});
