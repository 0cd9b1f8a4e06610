/** All wires of a large drawing as one path, where it is shown so small that none could be pointed at. */

import { ViewportPortal } from "@xyflow/react";
import { useMemo } from "react";
import type { Places } from "../flow/elements";
import type { Drawing } from "../model/drawing";
import { type Direction, portPlace } from "../model/geometry";
import { cardSize } from "../model/cardSize";
import type { Ports } from "../model/ports";

interface Props {
  drawing: Drawing;
  ports: Ports;
  direction: Direction;
  moved: Places;
}

/** How far a wire back goes on before it turns, and above the block it leads to. */
const TURN = 24,
  ABOVE = 71;

export function TinyWires({ drawing, ports, direction, moved }: Props) {
  const d = useMemo(() => pathOf({ drawing, ports, direction, moved }), [drawing, ports, direction, moved]);
  return (
    <ViewportPortal>
      <svg className="tiny-wires" aria-hidden="true">
        <path d={d} />
      </svg>
    </ViewportPortal>
  );
}

function pathOf({ drawing, ports, direction, moved }: Props): string {
  const end = (id: string, port: string, side: "in" | "out"): [number, number] => {
    const all = side === "in" ? ports.drawn(id) : ports.given(id),
      at = Math.max(
        0,
        all.findIndex((p) => p.name === port),
      );
    const { x, y } = moved[id] ?? { x: drawing.layout[id]?.[0] ?? 0, y: drawing.layout[id]?.[1] ?? 0 };
    const [left, top] = portPlace(side, at, all, cardSize(ports, id, direction), direction);
    return [x + left, y + top];
  };
  return drawing.graph.edges
    .map((e) => {
      const [x0, y0] = end(e.source, e.sourcePort, "out"),
        [x1, y1] = end(e.target, e.targetPort, "in");
      const back = direction === "right" && x1 <= x0;
      return back ? `M${x0} ${y0}h${TURN}V${y1 - ABOVE}H${x1 - TURN}V${y1}h${TURN}` : `M${x0} ${y0}L${x1} ${y1}`;
    })
    .join("");
}
