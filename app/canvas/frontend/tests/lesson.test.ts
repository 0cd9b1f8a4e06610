import { describe, expect, it } from "vitest";
import type { Edge } from "../src/model/drawing";
import { asks, type Focus, folded, hiddenShapes, readFocus } from "../src/model/lesson";

const FOCUS: Focus = {
  step: "02_layers wide",
  about: ["fc1"],
  hidden: [["shape", "fc1"]],
  palette: false,
  settings: false,
};

const edge = (source: string, target: string): Edge => ({ source, sourcePort: "output", target, targetPort: "input" });
const gives = (...shape: (string | number)[]) => ({ outputs: { output: { shape, dtype: "float32" } } });
const EDGES = [edge("features", "fc1"), edge("fc1", "relu1"), edge("relu1", "fc2"), edge("fc2", "relu2")];
const NODES = {
  features: gives("N", 4),
  fc1: gives("N", 16),
  relu1: gives("N", 16),
  fc2: gives("N", 8),
  relu2: gives("N", 16),
};

describe("a lesson beside the canvas", () => {
  it("hides the shape that is asked for, and where it is passed on unchanged", () => {
    expect([...hiddenShapes(FOCUS, EDGES, NODES)].sort()).toEqual(["fc1", "relu1"]);
  });

  it("hides no shape where parameters are asked for, or nothing is", () => {
    const params: Focus = { ...FOCUS, hidden: [["params", "fc1"]] };
    expect(hiddenShapes(params, EDGES, NODES).size).toBe(0);
    expect([
      asks(params, "params", "fc1"),
      asks(params, "params", "fc2"),
      asks(params, "total"),
      asks(null, "total"),
    ]).toEqual([true, false, false, false]);
    expect(hiddenShapes(null, EDGES, NODES).size).toBe(0);
  });

  it("closes the panels a step does not need", () => {
    expect(folded(FOCUS, "both")).toEqual({ palette: true, side: true });
    expect(folded(FOCUS, "lesson")).toEqual({ palette: true, side: false });
    expect(folded({ ...FOCUS, palette: true, settings: true }, "both")).toEqual({ palette: false, side: false });
  });

  it("opens both again without a lesson, but not over a narrow canvas", () => {
    expect(folded(null, "both")).toEqual({ palette: false, side: false });
    expect(folded({ ...FOCUS, palette: true }, "none")).toEqual({ palette: true, side: true });
    expect(folded({ ...FOCUS, palette: true, settings: true }, "palette")).toEqual({ palette: false, side: true });
  });

  it("reads what the panel left, and nothing else", () => {
    expect(readFocus({ ...FOCUS, more: 1 })).toEqual(FOCUS);
    expect(readFocus({ step: "a b", about: ["x", 3], hidden: [["shape"], "all", ["params", "x"]] })).toEqual({
      step: "a b",
      about: ["x"],
      hidden: [["params", "x"]],
      palette: false,
      settings: false,
    });
    expect([readFocus(undefined), readFocus("x"), readFocus({})]).toEqual([null, null, null]);
  });
});
