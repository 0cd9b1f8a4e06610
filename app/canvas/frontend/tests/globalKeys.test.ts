import { describe, expect, it } from "vitest";
import { leavesKey } from "../src/hooks/useRestoreFocus";

/** An element of these tags, in a parent of this role. */
const element = (selector: string, role = "") => ({
  matches: (wanted: string) => wanted.split(", ").includes(selector),
  closest: (wanted: string) => (role && wanted.includes(`[role=${role}]`) ? {} : null),
});

describe("which keys a link or button beside the canvas leaves to it", () => {
  it("leaves letters, / and Ctrl+Z, which it has no use for", () => {
    for (const key of ["v", "/", "z", "?"]) expect(leavesKey(element("a[href]"), key)).toBe(true);
    expect(leavesKey(element("button"), "v")).toBe(true);
  });
  it("keeps what presses it and what leaves it", () => {
    for (const key of ["Enter", " ", "Tab", "Escape", "ArrowDown"])
      expect(leavesKey(element("button"), key)).toBe(false);
  });
  it("keeps every key of a menu, a list of choices, and a field", () => {
    expect(leavesKey(element("button", "menu"), "v")).toBe(false);
    expect(leavesKey(element("input"), "v")).toBe(false);
  });
});
