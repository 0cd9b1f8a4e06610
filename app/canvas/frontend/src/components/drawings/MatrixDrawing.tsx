/** A matrix with its sides in proportion: what a Linear multiplies with, what an Embedding looks up in. */

import { counting, grouped } from "../../model/values";
import { Arrow, Figure } from "./Figure";

/** The length of a side on a log scale, so that 4 beside 784 still has an area. */
const side = (count: number): number => 12 + 13 * Math.log2(Math.max(count, 1) + 1) * 0.78;

export function LinearDrawing({ into, out, bias }: { into: number; out: number; bias: boolean }) {
  const [w, h] = [Math.min(side(into), 130), Math.min(side(out), 110)];
  const top = 18 + Math.max(0, (w - h) / 2),
    x = w + 44;
  const height = Math.max(top + h + 24, 18 + w + 24);
  const right = x + 12 + (bias ? 42 : 8);
  return (
    <Figure
      width={right + 64}
      height={height}
      label={`A matrix of ${counting(out, "row")} and ${counting(into, "column")} times ${counting(into, "feature")}${bias ? ", plus a bias per row" : ""}, gives ${counting(out, "feature")}.`}
      caption={
        <>
          Lengths are on a log scale. Every output is a weighted sum of{" "}
          {into === 1 ? "its one input" : `all ${counting(into, "input")}`}.
        </>
      }
    >
      <rect className="d-weight" x={1} y={top} width={w} height={h} />
      <text x={1 + w / 2} y={top - 5} className="d-text">
        {grouped(into)}
      </text>
      <text x={1 + w / 2} y={top + h / 2 + 4} className="d-name">
        W
      </text>
      <text x={1 + w / 2} y={top + h + 14} className="d-text">
        {counting(out, "row")}
      </text>
      <text x={w + 14} y={top + h / 2 + 4} className="d-name">
        ·
      </text>
      <rect className="d-cell" x={w + 26} y={18} width={12} height={w} />
      <text x={w + 32} y={18 + w + 14} className="d-text">
        x
      </text>
      {bias && (
        <text x={x + 8} y={top + h / 2 + 4} className="d-name">
          +
        </text>
      )}
      {bias && <rect className="d-weight" x={x + 20} y={top} width={12} height={h} />}
      {bias && (
        <text x={x + 26} y={top + h + 14} className="d-text">
          b
        </text>
      )}
      <Arrow x={right} y={top + h / 2} u={right + 26} v={top + h / 2} />
      <rect className="d-hit" x={right + 34} y={top} width={12} height={h} />
      <text x={right + 40} y={top + h + 14} className="d-text">
        {grouped(out)}
      </text>
    </Figure>
  );
}

export function EmbeddingDrawing({ rows, width }: { rows: number; width: number }) {
  const [w, h] = [Math.min(side(width) + 20, 150), 96];
  const row = 38;
  return (
    <Figure
      width={w + 120}
      height={h + 26}
      label={`A table of ${counting(rows, "row")}, each of ${counting(width, "number")}; an integer picks its row.`}
      caption={<>A token&apos;s number picks its row; rows are learned.</>}
    >
      <rect className="d-cell" x={2} y={18 + row} width={18} height={12} />
      <text x={11} y={14 + row} className="d-text">
        i
      </text>
      <Arrow x={24} y={24 + row} u={42} v={24 + row} />
      {Array.from({ length: 8 }, (_, k) => (
        <rect key={k} className={k * 12 === 36 ? "d-hit" : "d-weight"} x={46} y={18 + k * 12} width={w} height={12} />
      ))}
      <text x={46 + w / 2} y={12} className="d-text">
        {counting(width, "number")}
      </text>
      <text x={50 + w} y={70} className="d-text start">
        {counting(rows, "row")}
      </text>
    </Figure>
  );
}
