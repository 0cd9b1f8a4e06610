import { describe, expect, test } from "vitest";
import { shortLabel } from "../src/model/signature";
import { arrangeLabels, type WireLabel, zoomStep } from "../src/model/wireLabels";
import { tensor } from "./shared";

const label = (id: string, x: number, room = Infinity): WireLabel => ({ id, texts: ["(N, 16, 8, 8)", "16×8×8"], x, y: 0, room });

describe("a label", () => {
  test("has 10.5 px letters near by, and 9 px on the screen from afar", () => {
    expect(arrangeLabels([label("a", 0)], [], 1).get("a")?.size).toBe(10.5);
    expect(arrangeLabels([label("a", 0)], [], 0.5).get("a")?.size).toBe(18);
  });

  test("is said shorter where there is no room, and not at all before it shrinks under 9 px", () => {
    const room = 96; // between two blocks that stand beside each other
    expect(arrangeLabels([label("a", 0, room)], [], 1).get("a")?.text).toBe("(N, 16, 8, 8)");
    expect(arrangeLabels([label("a", 0, room)], [], 0.6).get("a")?.text).toBe("16×8×8");
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
    expect(arrangeLabels([label("a", 0)], [{ x: 25, y: -40, width: 208, height: 78 }], 1).get("a")?.text).toBe("16×8×8");
  });

  test("far away there is none", () => expect(arrangeLabels([label("a", 0)], [], 0.29).size).toBe(0));
});

test("a short label leaves the batch out, where there is one", () => {
  expect(shortLabel(tensor(["N", 16, 8, 8]))).toBe("16×8×8");
  expect(shortLabel(tensor(["N", 20], "int64"))).toBe("20 int64");
  expect(shortLabel(tensor(["N"]))).toBe("(N,)");
  expect(shortLabel(tensor([10, 16]))).toBe("(10, 16)");
});
