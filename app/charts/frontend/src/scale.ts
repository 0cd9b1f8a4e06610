/** One axis of numbers: where a value lies, and round numbers along it. */

const WIDE_RATIO = 20; // from here on an axis of positive numbers is logarithmic
const TICKS = 5;
const MOST_POWERS = 6;
const SLACK = 1e-9; // of a step: 0.95 / 0.05 is a little less than 19

export interface Scale {
  /** From 0 at the low end to 1. */
  at: (value: number) => number;
  ticks: number[];
}

export function scaleOf(values: number[]): Scale {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (low === high) return { at: () => 0.5, ticks: [low] };
  const wide = low > 0 && high / low >= WIDE_RATIO;
  const on = wide ? Math.log : (value: number): number => value;
  const at = (value: number): number => (on(value) - on(low)) / (on(high) - on(low));
  return { at, ticks: wide ? powers(low, high) : round(low, high).filter((tick) => tick >= low && tick <= high) };
}

/** Multiples of 1, 2 or 5 times a power of ten. */
function round(low: number, high: number): number[] {
  const rough = (high - low) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(low / step - SLACK);
  return Array.from({ length: Math.floor(high / step + SLACK) - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
}

/** Ticks of a logarithmic axis: powers of ten, few where it reaches over many, multiples where over few. */
export function powers(low: number, high: number): number[] {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const factors = last - first > 3 ? [1] : [1, 2, 5];
  const every = Math.max(1, Math.ceil((last - first) / MOST_POWERS));
  const decades = Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, i) => first + every * i);
  return decades
    .flatMap((decade) => factors.map((factor) => Number(`${factor}e${decade}`)))
    .filter((tick) => tick >= low && tick <= high);
}
