import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { setSetting } from "../src/store/editCommands";
import { faultAt } from "../src/store/divergence";
import { bench } from "./shared";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const fault = { run: "net-002", node: "conv1", message: "In step 3 conv1 put out 4 NaN of 64 numbers." };

test("the block in which the newest run diverged has the mark, and no other", () => {
  const { editor, sync, python } = bench();
  sync.receive(python.down({ fault }));
  expect(faultAt(editor.state, "conv1")).toEqual(fault);
  expect(faultAt(editor.state, "relu1")).toBeNull();
  sync.receive(python.down({ fault: null }));
  expect(faultAt(editor.state, "conv1")).toBeNull();
});

test("a fault inside a composite marks its use, and inside it the block", () => {
  const inner = { ...fault, node: "stage1.0.conv2" };
  expect(faultAt({ fault: inner, path: "" }, "stage1")).toBe(inner);
  expect(faultAt({ fault: inner, path: "stage1." }, "conv2")).toBe(inner);
  expect(faultAt({ fault: inner, path: "stage2." }, "conv2")).toBeNull();
});

test("the same fault told again draws no block again", () => {
  const { editor, sync, python } = bench();
  sync.receive(python.down({ fault: { ...fault } }));
  const before = editor.state.fault;
  sync.receive(python.down({ fault: { ...fault } }));
  expect(editor.state.fault).toBe(before);
});

test("a block that another page asks for is selected once, and the student may go on", () => {
  const { editor, sync, python } = bench();
  const look = { node: "conv1", n: "a1" };
  const before = editor.state.viewRequest.n;
  sync.receive(python.down({ look }));
  expect([...editor.state.selectedNodes]).toEqual(["conv1"]);
  expect(editor.state.viewRequest).toMatchObject({ ids: ["conv1"], n: before + 1 });
  editor.select([]);
  sync.receive(python.down({ look }));
  expect([...editor.state.selectedNodes]).toEqual([]);
  sync.receive(python.down({ look: { node: "conv1", n: "b2" } }));
  expect([...editor.state.selectedNodes]).toEqual(["conv1"]);
});

test("a block that is gone is not looked for", () => {
  const { editor, sync, python } = bench();
  setSetting(editor, "conv1", "out_channels", 8);
  sync.receive(python.down({ look: { node: "conv9", n: "c3" } }));
  expect([...editor.state.selectedNodes]).toEqual([]);
});
