import { describe, expect, test } from "vitest";
import { label as signatureLabel, shapeText, twoLines } from "../src/model/signature";
import { arrangeLabels, type WireLabel, zoomStep } from "../src/model/wireLabels";
import { tensor } from "./shared";

const label = (id: string, x: number, room = Infinity, points: WireLabel["points"] = []): WireLabel => ({
  id,
  output: id,
  text: "(N, 16, 8, 8)",
  spots: [{ x, y: 0, room }],
  points,
});

describe("a label", () => {
  test("has 10.5 px letters near by, and 9 px on the screen from afar", () => {
    expect(arrangeLabels([label("a", 0)], [], 1).get("a")?.size).toBe(10.5);
    expect(arrangeLabels([label("a", 0)], [], 0.5).get("a")?.size).toBe(18);
  });

  test("has two lines where there is no room for one, and is left out before it shrinks under 9 px", () => {
    const room = 96; // between two blocks that stand beside each other
    expect(arrangeLabels([label("a", 0, room)], [], 1).get("a")?.lines).toEqual(["(N, 16, 8, 8)"]);
    expect(arrangeLabels([label("a", 0, room)], [], 0.6).get("a")?.lines).toEqual(["(N, 16,", "8, 8)"]);
    expect(arrangeLabels([label("a", 0, room)], [], 0.35).has("a")).toBe(false);
    for (let zoom = 0.3; zoom < 2; zoom += 0.01) {
      const found = arrangeLabels([label("a", 0, room)], [], zoomStep(zoom)).get("a");
      if (found) expect(found.size * zoom).toBeGreaterThanOrEqual(8.999);
      if (found) expect(found.width).toBeLessThanOrEqual(room);
    }
  });

  test("never lies on another, or on a card", () => {
    expect([...arrangeLabels([label("a", 0), label("b", 60), label("c", 200)], [], 1).keys()]).toEqual(["a", "c"]);
    expect(arrangeLabels([label("a", 0)], [{ x: 10, y: -40, width: 208, height: 78 }], 1).size).toBe(0);
    expect(arrangeLabels([label("a", 0)], [{ x: 26, y: -40, width: 208, height: 78 }], 1).get("a")?.lines).toEqual([
      "(N, 16,",
      "8, 8)",
    ]);
  });

  test("never lies on the wire of another, and takes the next spot that is free", () => {
    const other: WireLabel = {
      ...label("b", 900),
      text: "",
      points: [
        [0, -50],
        [0, 50],
      ],
    };
    expect(arrangeLabels([label("a", 0), other], [], 1).has("a")).toBe(false);
    const spots = [0, 80].map((x) => ({ x, y: 0, room: Infinity }));
    expect(arrangeLabels([{ ...label("a", 0), spots }, other], [], 1).get("a")).toMatchObject({ x: 80, y: 0 });
    const own = { ...other, output: "a" }; // runs below it, and says nothing itself
    expect(arrangeLabels([own, label("a", 0)], [], 1).has("a")).toBe(true);
  });

  test("far away there is none", () => expect(arrangeLabels([label("a", 0)], [], 0.29).size).toBe(0));
});

test("a shape is broken where its lines are nearly equally long", () => {
  expect(twoLines("(N, 64, 112, 112)")).toEqual(["(N, 64,", "112, 112)"]);
  expect(twoLines("(N, 20) int64")).toEqual(["(N, 20)", "int64"]);
  expect(twoLines("(N,)")).toEqual(["(N,)"]);
});

test("one notation: that of PyTorch", () => {
  expect(signatureLabel(tensor(["N", 16, 8, 8]))).toBe("(N, 16, 8, 8)");
  expect(signatureLabel(tensor(["N", 20], "int64"))).toBe("(N, 20) int64");
  expect([shapeText(["N"]), shapeText([10, 16]), shapeText([])]).toEqual(["(N,)", "(10, 16)", "()"]);
});
