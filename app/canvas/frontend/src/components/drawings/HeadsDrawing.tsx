/** Attention: the features are dealt to the heads, and each head weighs every position. */

import { Arrow, Figure } from "./Figure";

interface Props {
  width: number;
  heads: number;
  length: number;
}

const MOST = 8;

export function HeadsDrawing({ width, heads, length }: Props) {
  const shown = Math.min(heads, MOST),
    each = width / heads;
  const bar = Math.min(150 / shown, 40),
    cells = Math.min(length || 6, 8),
    cell = 64 / cells;
  const left = shown * bar;
  return (
    <Figure
      width={left + 160}
      height={112}
      label={`${width} features are split among ${heads} heads of ${each} features; each head weighs every position with every other.`}
      caption={
        <>
          {heads} heads of {each} features; each has its own table of weights,{" "}
          {length ? `${length} × ${length}` : "length × length"}, whose rows sum to 1.
          {heads > MOST ? ` ${MOST} heads are drawn.` : ""}
        </>
      }
    >
      {Array.from({ length: shown }, (_, k) => (
        <g key={k}>
          <rect className={k === 0 ? "d-hit" : "d-weight"} x={1 + k * bar} y={36} width={bar} height={26} />
          <text x={1 + k * bar + bar / 2} y={53} className="d-text strong">
            {each}
          </text>
        </g>
      ))}
      <text x={1 + left / 2} y={28} className="d-text">
        {width} features of one position
      </text>
      <text x={1 + bar / 2} y={78} className="d-text">
        head 1
      </text>
      <Arrow x={left + 10} y={49} u={left + 44} v={49} />
      {Array.from({ length: cells * cells }, (_, k) => (
        <rect
          key={k}
          className={Math.floor(k / cells) === 2 ? "d-hit" : "d-cell"}
          x={left + 56 + (k % cells) * cell}
          y={22 + Math.floor(k / cells) * cell}
          width={cell}
          height={cell}
        />
      ))}
      <text x={left + 88} y={15} className="d-text">
        positions looked at
      </text>
      <text x={left + 88} y={100} className="d-text">
        one row per position
      </text>
    </Figure>
  );
}
