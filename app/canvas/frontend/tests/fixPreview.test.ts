/** The preview of a fix: what is asked of Python, and what is kept of its answer. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { labels } from "../src/model/signature";
import type { After, Fix } from "../src/protocol";
import { fixPreviewStore, lookAtFix } from "../src/store/fixPreview";
import { bench, tensor } from "./shared";

const FIX: Fix = { title: "stride=2", edits: [{ op: "set", node: "conv1", settings: { stride: 2 } }] };
const ANSWER: After = {
  errors: 0,
  first: "",
  more: 0,
  changed: [
    { node: "conv1", before: { output: tensor(["N", 8, 28, 28]) }, after: { output: tensor(["N", 8, 14, 14]) } },
  ],
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { baseURI: "http://here/" });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("shapes come as data, before and after, and are written here", async () => {
  const { editor } = bench();
  const fetch = vi.fn(async (_: URL, __: RequestInit) => new Response(JSON.stringify(ANSWER)));
  vi.stubGlobal("fetch", fetch);
  lookAtFix(editor, FIX);
  await vi.advanceTimersByTimeAsync(1000);
  expect(JSON.parse(String(fetch.mock.calls[0]?.[1].body)).edits).toEqual(FIX.edits);
  const { after } = fixPreviewStore(editor).getState();
  expect(after?.changed.map((c) => [c.node, labels(c.before), labels(c.after)])).toEqual([
    ["conv1", "(N, 8, 28, 28)", "(N, 8, 14, 14)"],
  ]);
});

test("an answer that comes after the look has ended is dropped", async () => {
  const { editor } = bench();
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify(ANSWER)));
  lookAtFix(editor, FIX);
  lookAtFix(editor, null);
  await vi.advanceTimersByTimeAsync(1000);
  expect(fixPreviewStore(editor).getState().after).toBeNull();
});
