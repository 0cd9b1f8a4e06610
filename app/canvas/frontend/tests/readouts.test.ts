/** What an exported page makes of drawings and outputs: tests/core/export/test_readouts.py reads the same cases. */

import { expect, test } from "vitest";
import script from "../../../../core/export/web/readouts.js?raw";
import cases from "../../../../tests/core/export/readouts.json";

type Sides = [number, number];
interface Spec {
  kind: string;
  shown_as?: string;
  classes?: string[];
}
interface Reading {
  shares?: number[];
  chosen?: number[];
  values?: number[];
  sequence?: string[];
  same?: boolean;
  distance?: number;
}
interface Page {
  framed: (ink: Float32Array, sides: Sides, to: Sides, high: number) => Float32Array | null;
  READ: Record<string, (data: Float32Array, spec: Spec, dims: number[]) => Reading>;
  form: (spec: Spec) => string;
}

const page: Page = new Function("RULES", `${script}\nreturn { framed, READ, form };`)({ ink: 0.1 });
const HIGH: Record<string, number> = { digits: 0.94, MNIST: 20 / 28, QMNIST: 20 / 28 };

const close = (found: ArrayLike<number>, wanted: readonly number[], digits: number) => {
  expect(found).toHaveLength(wanted.length);
  wanted.forEach((value, i) => {
    expect(found[i]).toBeCloseTo(value, digits);
  });
};

test.each(cases.framed)("$name", ({ source, surface, strokes, rows }) => {
  const [height, width] = surface as Sides;
  const ink = new Float32Array(height * width);
  for (const [top = 0, low = 0, left = 0, right = 0, brightness = 0] of strokes)
    for (let y = top; y < low; y++) ink.fill(brightness, y * width + left, y * width + right);
  const made = page.framed(ink, [height, width], [rows.length, rows[0]?.length ?? 0], HIGH[source] ?? 0);
  close(made ?? [], rows.flat(), 3);
});

test("a surface without a stroke is not framed", () =>
  expect(page.framed(new Float32Array(16), [4, 4], [2, 2], 0.94)).toBeNull());

test.each(cases.outputs as { name: string; spec: Spec; dims: number[]; data: number[]; reading: Reading }[])(
  "$name",
  ({ spec, dims, data, reading }) => {
    const found = page.READ[page.form(spec)]?.(Float32Array.from(data), spec, dims) ?? {};
    expect(Object.keys(found).sort()).toEqual(Object.keys(reading).sort());
    close(found.shares ?? [], reading.shares ?? [], 5);
    close(found.values ?? [], reading.values ?? [], 5);
    expect([found.chosen, found.sequence, found.same, found.distance]).toEqual([
      reading.chosen,
      reading.sequence,
      reading.same,
      reading.distance,
    ]);
  },
);
