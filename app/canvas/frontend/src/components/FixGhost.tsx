/** What the fix that is looked at would change, drawn over the canvas. */

import { ViewportPortal } from "@xyflow/react";
import { useBench, useEditor } from "../hooks/useEditor";
import { useFixPreview } from "../hooks/useFixPreview";
import type { Edge } from "../model/drawing";
import type { Ghost } from "../model/editPreview";
import type { Direction } from "../model/geometry";
import { sizeOf } from "../model/geometry";
import { cardSize } from "../model/cardSize";
import { opened } from "../model/scope";

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function FixGhost() {
  const { editor } = useBench();
  const { preview } = useFixPreview(editor);
  const direction = useEditor((s) => s.direction);
  const composite = useEditor((s) => (s.scope.length ? opened(s.whole.graph, s.scope) : ""));
  const ghost = preview?.ghosts.find((g) => g.composite === composite);
  if (!ghost) return null;
  const boxes = boxesOf(ghost);
  const ring = (ids: string[], kind: string) =>
    ids.map(
      (id) =>
        boxes.get(id) && (
          <div key={kind + id} className={`ghost-ring ${kind}`} style={style(boxes.get(id) as Box, 5)} />
        ),
    );
  return (
    <ViewportPortal>
      <div className="ghost" aria-hidden="true" data-testid="fix-ghost">
        <svg className="ghost-wires">
          {ghost.cut.map((e) => (
            <path key={path(e, boxes, direction)} className="cut" d={path(e, boxes, direction)} />
          ))}
          {ghost.wires.map((e) => (
            <path key={path(e, boxes, direction)} d={path(e, boxes, direction)} />
          ))}
        </svg>
        {ring(ghost.changed, "changed")}
        {ring(ghost.gone, "gone")}
        {ghost.added.map(({ id, block }) => (
          <div key={id} className="ghost-card" style={style(boxes.get(id) as Box, 0)}>
            <strong>{block}</strong>
            <span className="mono">{id}</span>
          </div>
        ))}
      </div>
    </ViewportPortal>
  );

  function boxesOf(of: Ghost): Map<string, Box> {
    const { drawing } = editor.state;
    const ports = editor.ports();
    const boxes = new Map<string, Box>();
    for (const [id, [x, y]] of Object.entries(drawing.layout)) {
      if (Object.hasOwn(drawing.graph.nodes, id)) boxes.set(id, { x, y, ...cardSize(ports, id, direction) });
    }
    for (const { id, at } of of.added) boxes.set(id, { x: at[0], y: at[1], ...sizeOf([], [], direction) });
    return boxes;
  }
}

const style = (b: Box, by: number) => ({
  left: b.x - by,
  top: b.y - by,
  width: b.width + 2 * by,
  height: b.height + 2 * by,
});

/** From the end of one block to the beginning of the other, as wires run. */
function path(edge: Edge, boxes: Map<string, Box>, direction: Direction): string {
  const a = boxes.get(edge.source),
    b = boxes.get(edge.target);
  if (!a || !b) return "";
  if (direction === "right") {
    const [x, y, u, v] = [a.x + a.width, a.y + a.height / 2, b.x, b.y + b.height / 2];
    return `M${x} ${y}C${(x + u) / 2} ${y} ${(x + u) / 2} ${v} ${u} ${v}`;
  }
  const [x, y, u, v] = [a.x + a.width / 2, a.y + a.height, b.x + b.width / 2, b.y];
  return `M${x} ${y}C${x} ${(y + v) / 2} ${u} ${(y + v) / 2} ${u} ${v}`;
}
