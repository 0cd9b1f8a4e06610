import { describe, expect, it } from "vitest";
import { besides, inWindow } from "./place";

const WINDOW = { width: 1280, height: 800 };
const CARD = { width: 340, height: 180 };

describe("the card of the tour", () => {
  it("stands right of a panel at the left edge, at its height", () => {
    expect(besides({ left: 0, top: 100, width: 220, height: 600 }, CARD, WINDOW)).toEqual({ left: 234, top: 100 });
  });

  it("stands left of what is at the right edge, and stays in the window", () => {
    expect(besides({ left: 1000, top: 780, width: 270, height: 15 }, CARD, WINDOW)).toEqual({ left: 646, top: 606 });
  });

  it("stands below what is as wide as the window, or above it", () => {
    expect(besides({ left: 5, top: 60, width: 1270, height: 100 }, CARD, WINDOW)).toEqual({ left: 14, top: 174 });
    expect(besides({ left: 5, top: 600, width: 1270, height: 190 }, CARD, WINDOW)).toEqual({ left: 14, top: 406 });
  });

  it("stands in the lower corner of what fills the window", () => {
    expect(besides({ left: 10, top: 60, width: 1260, height: 730 }, CARD, WINDOW)).toEqual({ left: 916, top: 596 });
  });
});

describe("what is lit", () => {
  it("is the part in the window, with a little air", () => {
    expect(inWindow({ left: 100, top: 700, width: 50, height: 400 }, WINDOW)).toEqual({
      left: 95,
      top: 695,
      width: 60,
      height: 103,
    });
  });

  it("is nothing where the window shows nothing of it", () => {
    expect(inWindow({ left: 100, top: 900, width: 50, height: 400 }, WINDOW)).toBeNull();
  });
});
