/** A window over the input and the one output it gives, at a position that the student chooses. */

import { useId, useState } from "react";
import { share, type Window } from "../../model/slidingWindows";
import { Arrow, Figure } from "./Figure";

const MOST = 13; // cells along a side; of a larger image its upper left corner is drawn
const SIDE = 118;
const GAP = 34;

/** Cells that one position touches along one dimension, counted from the first cell of the image. */
function touched(w: Window, i: number): number[] {
  if (w.kind === "adaptive") {
    const [from, to] = share(i, w);
    return Array.from({ length: to - from }, (_, k) => from + k);
  }
  return Array.from({ length: w.kernel }, (_, k) => i * w.stride - w.before + k * w.dilation);
}

interface Axis {
  w: Window;
  /** Cells drawn of the side with the window (padding included), and of the other. */
  first: number;
  cells: number;
  others: number;
}

function axisOf(w: Window): Axis {
  const large = w.kind === "spread" ? w.out : w.into,
    small = w.kind === "spread" ? w.into : w.out;
  const padded = large + w.before + w.after;
  const cells = Math.min(padded, MOST);
  const reach = w.kind === "adaptive" ? 0 : w.dilation * (w.kernel - 1) + 1;
  const fits = (i: number) => (w.kind === "adaptive" ? share(i, w)[1] <= cells : i * w.stride + reach <= cells);
  let others = 1;
  while (others < Math.min(small, MOST) && fits(others)) others += 1;
  return { w, first: -w.before, cells, others };
}

const ONE: Window = {
  name: "",
  kind: "slide",
  into: 1,
  out: 1,
  kernel: 1,
  stride: 1,
  before: 0,
  after: 0,
  dilation: 1,
  outputPadding: 0,
  ceil: false,
  same: false,
};

export function WindowDrawing({ windows }: { windows: readonly Window[] }) {
  const slider = useId();
  const [place, setPlace] = useState(0);
  const [row, column] = (windows.length === 1 ? [ONE, windows[0]] : windows.slice(-2)).map((w) =>
    axisOf(w as Window),
  ) as [Axis, Axis];
  const positions = row.others * column.others;
  const at = Math.min(place, positions - 1);
  const [i, j] = [Math.floor(at / column.others), at % column.others];
  const ys = new Set(touched(row.w, i)),
    xs = new Set(touched(column.w, j));
  const cell = Math.min(14, SIDE / Math.max(row.cells, column.cells, 1));
  const [width, height] = [column.cells * cell, row.cells * cell];
  const left = width + GAP;
  const total = { width: left + column.others * cell + 2, height: Math.max(height, row.others * cell) + 2 };
  const spreads = column.w.kind === "spread";
  const cut = row.cells < whole(row.w) || column.cells < whole(column.w);
  return (
    <>
      <Figure
        {...total}
        label={words(windows)}
        caption={
          <>
            {spreads
              ? "Each input cell adds a window to the output (left)."
              : "Each output cell (right) comes from one window of the input."}
            {windows.some((w) => w.before || w.after) &&
              (spreads ? " Hatched cells are cut off." : " Hatched cells are padding.")}
            {cut && " The upper left corner is drawn."}
          </>
        }
      >
        <defs>
          <pattern id={`${slider}h`} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path d="M0 0V4" className="d-hatch" />
          </pattern>
        </defs>
        <g transform="translate(1 1)">
          {grid(row.cells, column.cells, (r, c) => {
            const y = r + row.first,
              x = c + column.first;
            const outside = y < 0 || x < 0 || y >= large(row.w) || x >= large(column.w);
            const hit = ys.has(y) && xs.has(x);
            return (
              <rect
                key={`${r} ${c}`}
                x={c * cell}
                y={r * cell}
                width={cell}
                height={cell}
                className={hit ? "d-hit" : "d-cell"}
                style={outside && !hit ? { fill: `url(#${slider}h)` } : undefined}
              />
            );
          })}
          {frame(row, column, ys, xs, cell)}
          <Arrow x={width + 7} y={height / 2} u={width + GAP - 7} v={height / 2} />
          {grid(row.others, column.others, (r, c) => (
            <rect
              key={`o${r} ${c}`}
              x={left + c * cell}
              y={r * cell}
              width={cell}
              height={cell}
              className={r === i && c === j ? "d-hit" : "d-cell"}
            />
          ))}
        </g>
      </Figure>
      {positions > 1 && (
        <label className="d-slider" htmlFor={slider}>
          <span className="hidden-text">Position of the window</span>
          <input
            id={slider}
            type="range"
            min={0}
            max={positions - 1}
            value={at}
            data-testid="window-place"
            aria-valuetext={`window ${at + 1} of ${positions}`}
            onChange={(e) => setPlace(Number(e.target.value))}
          />
          <span className="muted" aria-hidden="true">
            window {at + 1}
          </span>
        </label>
      )}
    </>
  );
}

const large = (w: Window): number => (w.kind === "spread" ? w.out : w.into);
const whole = (w: Window): number => large(w) + w.before + w.after;

function grid<T>(rows: number, columns: number, draw: (r: number, c: number) => T): T[] {
  return Array.from({ length: rows * columns }, (_, k) => draw(Math.floor(k / columns), k % columns));
}

/** A line around the whole window, so that dilation and stride are seen. */
function frame(row: Axis, column: Axis, ys: Set<number>, xs: Set<number>, cell: number) {
  const [y, x] = [Math.min(...ys), Math.min(...xs)];
  const [h, w] = [Math.max(...ys) - y + 1, Math.max(...xs) - x + 1];
  return (
    <rect
      className="d-frame"
      x={(x - column.first) * cell}
      y={(y - row.first) * cell}
      width={w * cell}
      height={h * cell}
    />
  );
}

/** The numbers of the drawing, read aloud. */
function words(windows: readonly Window[]): string {
  const of = (pick: (w: Window) => number) => windows.map(pick).join(" by ");
  const sizes = `from ${of((w) => w.into)} to ${of((w) => w.out)}`;
  if (windows[0]?.kind === "adaptive") return `Windows that share the input evenly, ${sizes}.`;
  const way = windows[0]?.kind === "spread" ? "Every input cell adds" : "Sliding over the input:";
  return `${way} a window of ${of((w) => w.kernel)}, stride ${of((w) => w.stride)}, padding ${of((w) => w.before)}, dilation ${of((w) => w.dilation)}, ${sizes}.`;
}
