import { describe, expect, it } from "vitest";
import { type Mark, markAt, NO_HEALTH, told } from "../src/model/health";

const mark = (path: string): Mark => ({ path, kind: "dead", words: "60% dead", text: "", remedies: [] });

describe("health of blocks", () => {
  const health = { ...NO_HEALTH, marks: [mark("stage.0.relu1"), mark("relu10")] };

  it("marks a composite for what is inside of it, and no block whose name only begins alike", () => {
    expect(markAt(health, "stage")?.path).toBe("stage.0.relu1");
    expect(markAt(health, "relu10")?.path).toBe("relu10");
    expect(markAt(health, "relu1")).toBeUndefined();
  });

  it("tells the measures that there are, with their numbers", () => {
    const none = {
      block: "Linear",
      dead: null,
      units: null,
      saturated: null,
      spread: null,
      differs: null,
      gradient: null,
      weight: null,
      update: null,
      update_ratio: null,
    };
    expect(told({ ...none, dead: 0.985, update_ratio: 0.00162 }).map(([name, number]) => [name, number])).toEqual([
      ["Dead units", "99 %"],
      ["Update / weight", "1.6e-3"],
    ]);
    expect(told(none)).toEqual([]);
  });
});
