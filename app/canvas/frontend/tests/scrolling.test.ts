import { describe, expect, it } from "vitest";
import { afterScrolling, byTrackpad, pans } from "../src/model/scrolling";
import { readPreferences } from "../src/store/preferences";

const wheel = (part: Partial<WheelEvent>) => ({
  deltaX: 0,
  deltaY: 0,
  deltaMode: 0,
  ctrlKey: false,
  shiftKey: false,
  ...part,
});

describe("scrolling over the canvas", () => {
  it("takes a sideways movement for a trackpad, and a whole notch for a wheel", () => {
    expect(byTrackpad(wheel({ deltaX: 80, deltaY: 120 }), false)).toBe(true);
    expect(byTrackpad(wheel({ deltaY: 100 }), true)).toBe(false);
    expect(byTrackpad(wheel({ deltaY: -120 }), true)).toBe(false);
    expect(byTrackpad(wheel({ deltaY: 3, deltaMode: 1 }), true)).toBe(false);
  });

  it("keeps its judgement where an event shows neither", () => {
    for (const before of [true, false]) {
      expect(byTrackpad(wheel({ deltaY: 4 }), before)).toBe(before);
      expect(byTrackpad(wheel({ deltaY: -2.5, ctrlKey: true }), before)).toBe(before); // a pinch
      expect(byTrackpad(wheel({ deltaX: 100, shiftKey: true }), before)).toBe(before);
    }
  });

  it("follows the device until somebody chooses", () => {
    expect([pans("auto", true), pans("auto", false), pans("pan", false), pans("zoom", true)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect([afterScrolling("auto"), afterScrolling("pan"), afterScrolling("zoom")]).toEqual(["pan", "zoom", "auto"]);
  });

  it("is kept by the browser", () => {
    expect(readPreferences('{"scrolling":"pan","trackpad":true}')).toMatchObject({ scrolling: "pan", trackpad: true });
    expect(readPreferences('{"scrolling":"sideways","trackpad":1}')).toMatchObject({
      scrolling: "auto",
      trackpad: false,
    });
  });
});
