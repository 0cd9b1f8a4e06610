/** Stepping through one training step: what a key or the next event changes. */

import { expect, test } from "vitest";
import { leave } from "../src/actions/viewActions";
import { firstRuns, hasRun, type StepEvent } from "../src/model/sample";
import { sampleStore } from "../src/store/oneSample";
import { stepOn } from "../src/store/stepping";
import { bench } from "./shared";

const EVENTS: StepEvent[] = [
  { kind: "forward", path: "image" },
  { kind: "forward", path: "conv1" },
  { kind: "loss", path: "logits" },
];

function stepping() {
  const { editor } = bench();
  const store = sampleStore(editor);
  store.setState({ open: true, steps: { events: EVENTS, optimizer: "SGD", first: firstRuns(EVENTS), at: 0 } as never });
  return { editor, steps: () => store.getState().steps };
}

test("Escape leaves the step first, and only then lets go of the block", () => {
  const { editor, steps } = stepping();
  editor.select(["conv1"]);
  leave(editor);
  expect(steps()).toBeNull();
  expect([...editor.state.selectedNodes]).toEqual(["conv1"]);
  leave(editor);
  expect(editor.state.selectedNodes.size).toBe(0);
});

test("a block has no value before its event", () => {
  const { editor, steps } = stepping();
  expect([hasRun(steps(), "image"), hasRun(steps(), "conv1")]).toEqual([true, false]);
  stepOn(editor, "over");
  expect(steps()?.at).toBe(1);
  expect(hasRun(steps(), "conv1")).toBe(true);
});
