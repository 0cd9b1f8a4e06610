import { describe, expect, test } from "vitest";
import type { Focus } from "../src/model/lesson";
import { Panels } from "../src/model/panels";

const FOCUS: Focus = { step: "02_layers wide", about: [], hidden: [], palette: true, settings: false };

describe("the panels beside the canvas", () => {
  test("a window enlarged to 200 % closes both, and they are back at its own size", () => {
    const panels = new Panels(false);
    expect(panels.closed).toEqual({ palette: false, side: false });
    panels.resize(true, null, false);
    expect(panels.closed).toEqual({ palette: true, side: true });
    panels.resize(false, null, false);
    expect(panels.closed).toEqual({ palette: false, side: false });
  });

  test("another width on the same side of the limit leaves what a student opened", () => {
    const panels = new Panels(false);
    panels.flip("side");
    panels.resize(false, null, false);
    expect(panels.closed).toEqual({ palette: false, side: true });
  });

  test("over a narrow canvas, one opens and the other closes", () => {
    const panels = new Panels(true);
    panels.flip("side");
    expect(panels.closed).toEqual({ palette: true, side: false });
    panels.flip("palette");
    expect(panels.closed).toEqual({ palette: false, side: true });
    panels.flip("palette");
    expect(panels.closed).toEqual({ palette: true, side: true });
  });

  test("a step of a lesson folds once: what is opened then stays", () => {
    const panels = new Panels(false);
    panels.follow(FOCUS, false);
    expect(panels.closed).toEqual({ palette: false, side: true });
    panels.flip("side");
    panels.follow(FOCUS, false);
    expect(panels.closed).toEqual({ palette: false, side: false });
    panels.follow(null, false);
    expect(panels.closed).toEqual({ palette: false, side: false });
  });
});
