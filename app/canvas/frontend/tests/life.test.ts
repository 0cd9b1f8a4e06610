import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ending } from "../../../frontend_shared/life";
import { bench } from "./shared";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a call that a newer one overtook takes nothing off the page", () => {
  const over = vi.fn();
  ending({ isConnected: true }, over)();
  vi.advanceTimersByTime(5000);
  expect(over).not.toHaveBeenCalled();
});

test("what has left the page is over at once", () => {
  const over = vi.fn();
  ending({ isConnected: false }, over)();
  expect(over).toHaveBeenCalledTimes(1);
});

test("what leaves the page a little later is over then", () => {
  const over = vi.fn(),
    place = { isConnected: true };
  ending(place, over)();
  place.isConnected = false;
  vi.advanceTimersByTime(500);
  expect(over).toHaveBeenCalledTimes(1);
});

test("a closure that a newer one replaced does not cut the canvas off", () => {
  const { editor, sync, python } = bench();
  const newer = vi.fn();
  const older = vi.fn();
  sync.connect(older);
  sync.connect(newer);
  sync.disconnect(older);
  sync.act("save");
  expect(newer).toHaveBeenCalledTimes(1);
  expect(older).not.toHaveBeenCalled();
  expect(python.sent).toHaveLength(0);
  expect(editor.state.loaded).toBe(true);
});
