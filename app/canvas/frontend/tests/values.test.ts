import { describe, expect, test } from "vitest";
import { digest, search } from "../src/model/catalogue";
import { insideText, tokens } from "../src/model/highlight";
import { directionOf } from "../src/model/geometry";
import { tidy } from "../src/model/layout";
import { brief, briefBytes, counting, grouped, parseValue } from "../src/model/values";
import type { NodeJson, SettingSpec } from "../src/protocol";
import { catalogue, drawing } from "./shared";

const spec = (more: Partial<SettingSpec>): SettingSpec => ({ name: "k", kind: "int", help: "", ...more });

describe("what is typed for a setting", () => {
  test("a whole number within its range", () => {
    expect(parseValue(spec({ low: 1 }), " 12 ")).toEqual({ value: 12 });
    expect(parseValue(spec({ low: 1, unit: "pixels" }), "0")).toEqual({ error: "At least 1 pixel." });
    expect(parseValue(spec({}), "1.5")).toEqual({ error: "Type a whole number." });
  });

  test("an empty field takes the setting away", () => {
    expect(parseValue(spec({ kind: "float" }), "")).toEqual({ remove: true });
  });

  test("a size is one number, or exactly as many as there are dimensions", () => {
    const size = spec({ kind: "size", length: 2, choices: ["same"] });
    expect(parseValue(size, "3")).toEqual({ value: 3 });
    expect(parseValue(size, "3×5")).toEqual({ value: [3, 5] });
    expect(parseValue(size, "(3, 5)")).toEqual({ value: [3, 5] });
    expect(parseValue(size, "same")).toEqual({ value: "same" });
    expect(parseValue(size, "1,2,3")).toEqual({ error: "Type 3 or 3, 5, or same." });
  });

  test("where several numbers are possible, one or a list of them", () => {
    const factor = spec({ kind: "float", several: true, high: 1024 });
    expect(parseValue(factor, "2")).toEqual({ value: 2 });
    expect(parseValue(factor, "(2, 1.5)")).toEqual({ value: [2, 1.5] });
    expect(parseValue(factor, "2, 4000")).toEqual({ error: "At most 1024." });
    expect(parseValue(spec({ kind: "float", several: true, length: 3 }), "1, 2")).toEqual({
      error: "Type a number, or 1.5, 2.5, 3.5.",
    });
    expect(parseValue(spec({ kind: "float" }), "2, 3")).toEqual({ error: "Type a number." });
  });

  test("None is taken only where torch takes it", () => {
    expect(parseValue(spec({ optional: true }), "None")).toEqual({ value: null });
    expect(parseValue(spec({}), "None")).toEqual({ error: "None is not possible here." });
  });

  test("infinity and not-a-number are refused", () => {
    for (const text of ["inf", "nan", "1e999"]) {
      expect(parseValue(spec({ kind: "float" }), text)).toHaveProperty("error");
    }
  });
});

describe("settings in short", () => {
  const conv = catalogue.block("Conv2d");
  const short = (settings: NodeJson["settings"]) => digest({ block: "Conv2d", settings }, conv);

  test("a convolution reads as in a paper", () => {
    expect(short({ out_channels: 16, kernel_size: 3, padding: 1 })).toBe("16 · 3×3 · pad 1");
    expect(short({ out_channels: 8, kernel_size: [3, 5], stride: 2, bias: false })).toBe(
      "8 · 3×5 · stride 2 · no bias",
    );
  });
});

describe("the palette's search", () => {
  test("finds by name first, then by keyword and summary", () => {
    expect(search(catalogue, "relu")[0]).toBe("ReLU");
    expect(search(catalogue, "kernel")).toEqual(["Conv2d", "Conv1d"]);
    expect(search(catalogue, "zzz")).toEqual([]);
  });
});

describe("layout", () => {
  const chain = (n: number) => ({
    graph: {
      nodes: Object.fromEntries(Array.from({ length: n }, (_, i) => [`r${i}`, { block: "ReLU" }])),
      edges: Array.from({ length: n - 1 }, (_, i) => ({
        source: `r${i}`,
        sourcePort: "output",
        target: `r${i + 1}`,
        targetPort: "input",
      })),
    },
    layout: {},
  });

  test("a chain is folded into rows that read from left to right", () => {
    const places = tidy(chain(14), "right", catalogue);
    const rows = new Set(Object.values(places).map(([, y]) => y));
    expect(rows.size).toBe(5);
    expect(places.r0).toEqual([0, 0]);
    expect(places.r3?.[0]).toBe(0);
  });

  test("no two blocks overlap, in both directions", () => {
    for (const direction of ["right", "down"] as const) {
      const places = Object.values(tidy(drawing(), direction, catalogue));
      const clash = places.some(([x, y], i) =>
        places.some(([a, b], j) => j < i && Math.abs(a - x) < 200 && Math.abs(b - y) < 78),
      );
      expect(clash).toBe(false);
    }
  });

  test("the direction is read off the places", () => {
    const laid = chain(14);
    expect(directionOf({ ...laid, layout: tidy(laid, "right", catalogue) })).toBe("right");
    expect(directionOf({ ...laid, layout: tidy(laid, "down", catalogue) })).toBe("down");
  });
});

describe("numbers and source for people", () => {
  test("numbers", () => {
    expect(grouped(11689512)).toBe("11,689,512");
    expect(brief(11689512)).toBe("11.7\u202fM");
    expect(brief(48120)).toBe("48.1\u202fk");
    expect(brief(920_200)).toBe("920\u202fk");
    expect(brief(120_000_000)).toBe("120\u202fM");
    expect(brief(999_900)).toBe("1\u202fM");
    expect(brief(156)).toBe("156");
    expect(briefBytes(4096)).toBe("4.1\u202fkB");
    expect(briefBytes(100_352)).toBe("100\u202fkB");
  });

  test("a count agrees with its noun", () => {
    expect([1, 2, 1200].map((count) => counting(count, "row"))).toEqual(["1 row", "2 rows", "1,200 rows"]);
  });

  test("the tokens of a line joined are the line", () => {
    const line = '        self.conv1 = nn.Conv2d(1, 6, padding="same")  # (N, 6, 28, 28)';
    expect(
      tokens(line)
        .map(([, t]) => t)
        .join(""),
    ).toBe(line);
    expect(tokens(line)).toContainEqual(["call", "Conv2d"]);
    expect(tokens(line)).toContainEqual(["comment", "# (N, 6, 28, 28)"]);
  });

  test("lines inside a docstring are text", () => {
    expect(insideText(['"""One.', "def no():", '"""', "x = 1"])).toEqual([false, true, true, false]);
  });
});
