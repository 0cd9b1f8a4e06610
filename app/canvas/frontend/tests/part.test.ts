import { describe, expect, test } from "vitest";
import { runPart } from "../src/actions/editActions";
import { type Context, isEnabled, labelOf } from "../src/actions/action";
import { meant, milliseconds, named } from "../src/model/part";
import { shapeText } from "../src/model/signature";
import { bench } from "./shared";

const context = (): Context => ({ ...bench(), root: null });

describe("some blocks by themselves", () => {
  const { editor } = context();
  const { graph } = editor.state.drawing;
  const ids = Object.keys(graph.nodes);

  test("of two blocks, those on the ways between them are meant too, whichever was chosen first", () => {
    const first = ids[0] as string,
      last = ids.at(-1) as string;
    const all = meant(graph, new Set([last, first]));
    expect(all[0]).toBe(first);
    expect(all.at(-1)).toBe(last);
    expect(all.length).toBeGreaterThan(2);
  });

  test("of one or of three, just these are", () => {
    expect(meant(graph, new Set(["conv1"]))).toEqual(["conv1"]);
    const three = ids.slice(0, 3);
    expect(meant(graph, new Set(three))).toEqual(three);
  });

  test("are named by the first and the last that calculate", () => {
    expect(named(graph, ["conv1"])).toBe("conv1");
    expect(
      named(
        graph,
        ids.filter((id) => graph.nodes[id]?.block === "Input"),
      ),
    ).toBe("");
    expect(named(graph, ["conv1", "join"])).toBe("conv1 to join");
  });

  test("can be run where one of them calculates", () => {
    const c = context();
    c.editor.select(ids.filter((id) => graph.nodes[id]?.block === "Input"));
    expect(isEnabled(runPart, c)).toBe(false);
    c.editor.select(["conv1"]);
    expect(labelOf(runPart, c)).toBe("Run conv1 by itself…");
    runPart.perform(c);
    expect(c.editor.state.overlay).toEqual({ kind: "part" });
  });
});

test("shapes and times are written as torch and people write them", () => {
  expect(shapeText(["N", 6, 14, 14])).toBe("(N, 6, 14, 14)");
  expect(shapeText([3])).toBe("(3,)");
  expect([0.004, 0.1234, 12.345, null].map(milliseconds)).toEqual(["< 0.01 ms", "0.12 ms", "12.3 ms", ""]);
});
