import { describe, expect, test } from "vitest";
import type { Focus } from "../src/model/lesson";
import { Panels } from "../src/model/panels";

const FOCUS: Focus = { step: "02_layers wide", about: [], hidden: [], palette: true, settings: false };

describe("the panels beside the canvas", () => {
  test("a window enlarged to 200 % closes both, and they are back at its own size", () => {
    const panels = new Panels("both");
    expect(panels.closed).toEqual({ palette: false, side: false });
    panels.resize("none", null);
    expect(panels.closed).toEqual({ palette: true, side: true });
    panels.resize("both", null);
    expect(panels.closed).toEqual({ palette: false, side: false });
  });

  test("another width on the same side of the limit leaves what a student opened", () => {
    const panels = new Panels("both");
    panels.flip("side");
    panels.resize("both", null);
    expect(panels.closed).toEqual({ palette: false, side: true });
  });

  test("over a narrow canvas, one opens and the other closes", () => {
    const panels = new Panels("none");
    panels.flip("side");
    expect(panels.closed).toEqual({ palette: true, side: false });
    panels.flip("palette");
    expect(panels.closed).toEqual({ palette: false, side: true });
    panels.flip("palette");
    expect(panels.closed).toEqual({ palette: true, side: true });
  });

  test("in a window of a tablet the inspector is a sheet, and the blocks stay beside the canvas", () => {
    const panels = new Panels("palette");
    expect(panels.closed).toEqual({ palette: false, side: true });
    panels.flip("side");
    expect(panels.closed).toEqual({ palette: false, side: false });
    panels.resize("both", null);
    panels.resize("palette", null);
    expect(panels.closed).toEqual({ palette: false, side: true });
  });

  test("a step of a lesson folds once: what is opened then stays", () => {
    const panels = new Panels("both");
    panels.follow(FOCUS);
    expect(panels.closed).toEqual({ palette: false, side: true });
    panels.flip("side");
    panels.follow(FOCUS);
    expect(panels.closed).toEqual({ palette: false, side: false });
    panels.follow(null);
    expect(panels.closed).toEqual({ palette: false, side: false });
  });
});
