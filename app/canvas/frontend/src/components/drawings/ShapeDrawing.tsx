/** What becomes of each dimension: one box for each, joined where it goes. */

import { shapeText } from "../../model/signature";
import type { DimPair } from "../../model/dimMapping";
import { Figure } from "./Figure";

interface Props {
  takes: string[];
  gives: string[];
  /** From an input dimension to an output dimension. */
  ways: readonly DimPair[];
  label: string;
}

const BOX = 46,
  GAP = 10;

export function ShapeDrawing({ takes, gives, ways, label }: Props) {
  const span = (n: number) => n * BOX + (n - 1) * GAP;
  const width = Math.max(span(takes.length), span(gives.length));
  const start = (n: number) => (width - span(n)) / 2;
  const middle = (n: number, i: number) => 1 + start(n) + i * (BOX + GAP) + BOX / 2;
  const row = (sizes: string[], y: number, kind: string) =>
    sizes.map((size, i) => (
      <g key={`${y} ${i}`}>
        <rect className={kind} x={middle(sizes.length, i) - BOX / 2} y={y} width={BOX} height={24} rx={5} />
        <text x={middle(sizes.length, i)} y={y + 16} className="d-text strong">
          {size}
        </text>
      </g>
    ));
  return (
    <Figure
      width={width + 2}
      height={102}
      label={`${label}: ${shapeText(takes)} becomes ${shapeText(gives)}.`}
      caption="The values stay; each box is one dimension."
    >
      {ways.map(([from, to]) => (
        <path
          key={`${from} ${to}`}
          className="d-way"
          d={`M${middle(takes.length, from)} 26C${middle(takes.length, from)} 52 ${middle(gives.length, to)} 50 ${middle(gives.length, to)} 76`}
        />
      ))}
      {row(takes, 1, "d-cell")}
      {row(gives, 77, "d-hit")}
    </Figure>
  );
}
