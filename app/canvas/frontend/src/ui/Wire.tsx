/** A wire with the shape of what travels on it. */

import { BaseEdge, type EdgeProps, getBezierPath, getSmoothStepPath, Position } from "@xyflow/react";
import { memo } from "react";
import { useFar } from "./BlockNode";
import { useEditor } from "./context";
import type { WireFlow } from "./flow";

function WirePath(props: EdgeProps<WireFlow>) {
  const { id, source, target, sourceHandleId, selected } = props;
  const shape = useEditor((s) => s.notes.nodes[s.path + source]?.outputs?.[sourceHandleId ?? ""]);
  const bad = useEditor((s) => s.notes.nodes[s.path + target]?.state === "error" && shape !== undefined);
  const far = useFar();
  const [path, x, y] = route(props);
  const kind = bad ? "wire bad" : shape === undefined ? "wire waiting" : "wire";
  return (
    <g className={selected ? `${kind} selected` : kind} data-testid={`wire-${id}`}>
      <title>{`${source} → ${target}: ${carried(shape)}`}</title>
      <BaseEdge path={path} interactionWidth={18} />
      {!far && shape !== undefined && (
        <Label x={x} y={y} text={bad ? `✕ ${shape}` : shape} />
      )}
    </g>
  );
}

/** What travels on a wire, in full: the label leaves out the usual dtype. */
function carried(shape: string | undefined): string {
  if (shape === undefined) return "not known yet";
  if (shape.startsWith("=")) return `the integer ${shape.slice(1)}`;
  return shape.endsWith(")") ? `${shape} float32` : shape;
}

/** Forwards a curve; backwards (to the next row) straight pieces that run between the rows. */
function route(props: EdgeProps<WireFlow>): [string, number, number, ...number[]] {
  const right = props.sourcePosition === Position.Right;
  const ahead = right ? props.targetX - props.sourceX : props.targetY - props.sourceY;
  if (ahead > 0) return getBezierPath(props);
  const { sourceX, sourceY, targetX, targetY } = props;
  const way = right ? { centerY: sourceY < targetY ? targetY - ROW_UP : (sourceY + targetY) / 2 } : {};
  return getSmoothStepPath({ ...props, sourceX, sourceY, targetX, targetY, borderRadius: 14, offset: 24, ...way });
}

const ROW_UP = 71;
const CHARACTER = 6.35;

function Label({ x, y, text }: { x: number; y: number; text: string }) {
  const width = text.length * CHARACTER + 8;
  return (
    <g className="wire-label">
      <rect x={x - width / 2} y={y - 8} width={width} height={16} rx={4} />
      <text x={x} y={y} dy="0.34em">{text}</text>
    </g>
  );
}

export const Wire = memo(WirePath);
