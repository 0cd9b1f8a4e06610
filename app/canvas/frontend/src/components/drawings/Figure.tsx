/** What all small drawings share: a frame with a caption, and words for who cannot see it. */

import type { ReactNode } from "react";

interface Props {
  /** What the drawing shows, in words with the numbers. */
  label: string;
  width: number;
  height: number;
  caption?: ReactNode;
  children: ReactNode;
}

export function Figure({ label, width, height, caption, children }: Props) {
  return (
    <figure className="drawing" data-testid="drawing">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} style={{ maxWidth: width }}>
        {children}
      </svg>
      {caption && <figcaption>{caption}</figcaption>}
    </figure>
  );
}

/** A line with a head. */
export function Arrow({ x, y, u, v }: { x: number; y: number; u: number; v: number }) {
  const length = Math.hypot(u - x, v - y) || 1;
  const [dx, dy] = [(u - x) / length, (v - y) / length];
  const [bx, by] = [u - 6 * dx, v - 6 * dy];
  return (
    <g className="d-arrow">
      <path d={`M${x} ${y}L${bx} ${by}`} />
      <path className="d-head" d={`M${u} ${v}L${bx - 3.5 * dy} ${by + 3.5 * dx}L${bx + 3.5 * dy} ${by - 3.5 * dx}Z`} />
    </g>
  );
}
