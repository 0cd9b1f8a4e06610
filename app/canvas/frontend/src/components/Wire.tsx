/** A wire with the shape of what travels on it. */

import { BaseEdge, type EdgeProps, getBezierPath, getSmoothStepPath, Position } from "@xyflow/react";
import { memo } from "react";
import type { WireFlow } from "../flow/elements";
import { useBench, useEditor } from "../hooks/useEditor";
import { useWireLabel } from "../hooks/useLabelBoard";
import { useHidesShape } from "../hooks/useLesson";
import type { Edge } from "../model/drawing";
import { edgeId } from "../model/graph";
import { described, label } from "../model/signature";
import type { WireLabel } from "../model/wireLabels";
import { type Track, tracksOf, TURN } from "../model/wireRouting";
import { wiresOf } from "../model/wires";

function WirePath(props: EdgeProps<WireFlow>) {
  const { id, source, target, sourceHandleId, selected } = props;
  const signature = useEditor((s) => s.annotations.nodes[s.path + source]?.outputs?.[sourceHandleId ?? ""]);
  const bad = useEditor((s) => s.annotations.nodes[s.path + target]?.state === "error" && signature !== undefined);
  const first = useEditor((s) => leads(s.drawing.graph.edges, id, source, sourceHandleId, target));
  const hidden = useHidesShape(source);
  const { editor } = useBench();
  const lane = useEditor((s) => tracksOf(s.drawing, editor.ports(), s.direction).get(id));
  const aside = lane && alongLane(props, lane);
  const [path, x, y] = aside ?? route(props);
  const kind = bad ? "wire bad" : signature === undefined ? "wire waiting" : "wire";
  return (
    <g className={selected ? `${kind} selected` : kind} data-testid={`wire-${id}`}>
      <title>{`${source} → ${target}: ${hidden ? "?" : described(signature)}`}</title>
      <BaseEdge path={path} interactionWidth={18} />
      {first && !lane?.silent && signature !== undefined && (
        <Label
          id={id}
          x={x}
          y={y}
          text={hidden ? "?" : `${bad ? "✕ " : ""}${label(signature)}`}
          room={aside ? Infinity : between(props)}
        />
      )}
    </g>
  );
}

/** Whether a wire is the first of those that carry the same to the same block: one label is enough. */
function leads(
  edges: readonly Edge[],
  id: string,
  source: string,
  port: string | null | undefined,
  target: string,
): boolean {
  const first = wiresOf(edges)
    .into(target)
    .find((e) => e.source === source && e.sourcePort === port);
  return !first || edgeId(first) === id;
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

const BEND = 0.55;
const STILL_PX = 12;
/** How far the label of a wire back is from the middle, for each pixel that it turns later than the first. */
const ASIDE = 9;

/** Beside the blocks that it skips; null while an end is dragged, when its lane is that of before. */
function alongLane(props: EdgeProps<WireFlow>, { at, from, to, a, b, turn }: Track): [string, number, number] | null {
  const right = props.sourcePosition === Position.Right;
  const ends = [props.sourceX, props.sourceY, props.targetX, props.targetY] as const;
  const [u0, v0, u1, v1] = right ? ends : [ends[1], ends[0], ends[3], ends[2]];
  const moved = Math.max(
    Math.abs(u0 - a.along),
    Math.abs(v0 - a.across),
    Math.abs(u1 - b.along),
    Math.abs(v1 - b.across),
  );
  if (moved > STILL_PX) return null;
  if (turn) {
    const [path] = getSmoothStepPath({ ...props, borderRadius: 14, offset: turn, centerY: at });
    const aside = Math.min((turn - TURN) * ASIDE, (to - from) / 4); // lanes are nearer to each other than labels are high
    return [path, (from + to) / 2 + aside, at];
  }
  const at2 = (u: number, v: number) => (right ? `${u},${v}` : `${v},${u}`);
  const out = (from - u0) * BEND,
    into = (u1 - to) * BEND;
  const path =
    `M${at2(u0, v0)} C${at2(u0 + out, v0)} ${at2(from - out, at)} ${at2(from, at)} L${at2(to, at)} ` +
    `C${at2(to + into, at)} ${at2(u1 - into, v1)} ${at2(u1, v1)}`;
  const middle = (from + to) / 2;
  return right ? [path, middle, at] : [path, at, middle];
}

const ROW_UP = 71;
const BESIDE = 8;

/** How wide a label may be between the two blocks of a wire that leads on to the right. */
function between({ sourceX, targetX, sourcePosition }: EdgeProps<WireFlow>): number {
  return sourcePosition === Position.Right && targetX > sourceX ? targetX - sourceX - BESIDE : Infinity;
}

/** Written by the board, which sees them all; where there is no room, none: the block says it, too. */
function Label(label: WireLabel) {
  const group = useWireLabel(label);
  return (
    <g ref={group} className="wire-label" style={HIDDEN}>
      <rect rx={4} />
      <text />
    </g>
  );
}

const HIDDEN = { display: "none" };

export const Wire = memo(WirePath);
