import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState, Text } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { diagnostics } from "./editor";
import { torchNames } from "./names";
import { brightness } from "./theme";

const offered = (doc: string, explicit = false) => {
  const state = EditorState.create({ doc });
  return torchNames(new CompletionContext(state, doc.length, explicit));
};

describe("completion", () => {
  it("offers layers after nn, and replaces what was begun", () => {
    const found = offered("self.fc = nn.Lin");
    expect(found?.from).toBe(13);
    const labels = found?.options.map((option) => option.label) ?? [];
    expect(labels).toContain("Linear");
    expect(labels).toContain("Conv2d");
  });

  it("offers functions of F and torch, and what is imported", () => {
    expect(offered("F.")?.options.map((o) => o.label)).toContain("relu");
    expect(offered("torch.sig")?.options.map((o) => o.label)).toContain("sigmoid");
    expect(offered("", true)?.options.map((o) => o.label)).toEqual(["torch", "nn", "F", "math", "Tensor"]);
  });

  it("offers nothing after a name that it does not know", () => {
    expect(offered("self.weird")).toBeNull();
    expect(offered("")).toBeNull();
  });
});

describe("faults", () => {
  it("stand on their line, and on the last where theirs is gone", () => {
    const doc = Text.of(["one", "two", "three"]);
    const found = diagnostics(doc, [
      { line: 2, message: "a" },
      { line: 9, message: "b" },
    ]);
    expect(found.map(({ from, to }) => [from, to])).toEqual([
      [4, 7],
      [8, 13],
    ]);
  });
});

describe("theme", () => {
  it("is told by the colour behind the editor", () => {
    expect(brightness("#14151C")).toBeLessThan(0.5);
    expect(brightness("#FDFDFE")).toBeGreaterThan(0.5);
    expect(brightness("")).toBe(1);
  });
});
