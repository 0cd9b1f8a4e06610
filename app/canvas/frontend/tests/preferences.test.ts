/** After a first training a drawing opens with its values, until they are turned off. */

import { beforeEach, expect, test, vi } from "vitest";
import { openTrained, sampleStore, toggleSample } from "../src/store/oneSample";
import { preferences, preferValues, readPreferences, wantsValues } from "../src/store/preferences";
import { setQueryContext } from "../src/store/queries";
import { bench, Python } from "./shared";

beforeEach(() => preferences.setState({ valuesOff: [] }));

/** A canvas whose Python has a plane, or has none; what it was asked. */
function trained(plane: boolean) {
  const python = new Python();
  const { editor } = bench(python),
    asked: unknown[] = [];
  setQueryContext(editor, python.down());
  vi.stubGlobal("document", { baseURI: "http://here/" });
  vi.stubGlobal("fetch", async (_: URL, { body }: { body: string }) => {
    asked.push(JSON.parse(body).sample);
    return { ok: true, json: async () => ({ ways: { kind: "table", plane } }) };
  });
  return { editor, asked, store: sampleStore(editor) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test("a trained drawing opens with the first sample, and on two columns with the plane", async () => {
  const one = trained(false);
  openTrained(one.editor);
  await settled();
  expect(one.asked).toEqual([{ part: "validation", index: 0 }]);
  expect(one.store.getState()).toMatchObject({ open: true, busy: false, looked: { ways: { plane: false } } });
  const points = trained(true);
  openTrained(points.editor);
  await settled();
  expect(points.asked).toEqual([{ part: "validation", index: 0 }, { plane: "" }]);
  expect(points.store.getState()).toMatchObject({ open: true, busy: false, wanted: { plane: "" }, answers: 1 });
});

test("values that were turned off stay off, in this project alone, until they are turned on", () => {
  const { editor, store } = trained(false);
  openTrained(editor);
  toggleSample(editor);
  openTrained(editor);
  expect(store.getState().open).toBe(false);
  expect([wantsValues("d"), wantsValues("another")]).toEqual([false, true]);
  const next = trained(false); // as after a reload
  openTrained(next.editor);
  expect(next.store.getState().open).toBe(false);
  toggleSample(next.editor);
  expect(next.store.getState().open).toBe(true);
  expect(wantsValues("d")).toBe(true);
});

test("the latest 200 projects are remembered, and what else is kept there is left out", () => {
  for (let i = 0; i < 201; i++) preferValues(`p${i}`, false);
  const { valuesOff } = preferences.getState();
  expect([valuesOff.length, valuesOff[0], valuesOff.at(-1)]).toEqual([200, "p1", "p200"]);
  expect(readPreferences('{"valuesOff": ["a", 7, null]}').valuesOff).toEqual(["a"]);
  expect(readPreferences('{"valuesOff": "a"}').valuesOff).toEqual([]);
});
