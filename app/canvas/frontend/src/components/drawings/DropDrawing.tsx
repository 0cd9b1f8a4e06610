/** Dropout in training: a share of the numbers becomes 0, the others grow so that the sum stays. */

import { Figure } from "./Figure";

const COLUMNS = 12,
  ROWS = 4,
  CELL = 15;

/** A fixed picture of chance: which cells fall out first. */
const order = (k: number): number => ((k * 29 + 11) % (COLUMNS * ROWS)) / (COLUMNS * ROWS);

export function DropDrawing({ p, whole }: { p: number; whole: string }) {
  const scale = p < 1 ? (1 / (1 - p)).toFixed(2) : "0";
  const count = Math.round(p * COLUMNS * ROWS);
  const fallen = [...Array(COLUMNS * ROWS).keys()].sort((a, b) => order(a) - order(b)).slice(0, count);
  const gone = new Set(fallen);
  return (
    <Figure
      width={COLUMNS * CELL + 2}
      height={ROWS * CELL + 2}
      label={`In training each ${whole} becomes 0 with probability ${p}; the others are multiplied by ${scale}.`}
      caption={
        <>
          In training each {whole} becomes 0 with probability {p}, the others are multiplied by 1 / (1 − {p}) = {scale}.
          In evaluation nothing happens.
        </>
      }
    >
      {[...Array(COLUMNS * ROWS).keys()].map((k) => {
        const [x, y] = [1 + (k % COLUMNS) * CELL, 1 + Math.floor(k / COLUMNS) * CELL];
        return (
          <g key={k}>
            <rect className={gone.has(k) ? "d-cell" : "d-hit"} x={x} y={y} width={CELL} height={CELL} />
            {gone.has(k) && (
              <path
                className="d-cross"
                d={`M${x + 4} ${y + 4}l${CELL - 8} ${CELL - 8}m0 ${8 - CELL}l${8 - CELL} ${CELL - 8}`}
              />
            )}
          </g>
        );
      })}
    </Figure>
  );
}
