/** A wire with the shape of what travels on it. */

import { BaseEdge, type EdgeProps } from "@xyflow/react";
import { memo, useMemo } from "react";
import type { WireFlow } from "../flow/elements";
import { useBench, useEditor } from "../hooks/useEditor";
import { useWireLabel } from "../hooks/useLabelBoard";
import { useHidesShape } from "../hooks/useLesson";
import { type Threads as Lit, useLightWords, useThreads } from "../hooks/useLight";
import type { Edge } from "../model/drawing";
import { edgeId } from "../model/graph";
import { described, label } from "../model/signature";
import { coverOf, widthOf } from "../model/strand";
import type { WireLabel } from "../model/wireLabels";
import { wirePath } from "../model/wirePath";
import { coursesOf } from "../model/wireRouting";
import { wiresOf } from "../model/wires";

function WirePath(props: EdgeProps<WireFlow>) {
  const { id, source, target, sourceHandleId, selected } = props;
  const signature = useEditor((s) => s.annotations.nodes[s.path + source]?.outputs?.[sourceHandleId ?? ""]);
  const bad = useEditor((s) => s.annotations.nodes[s.path + target]?.state === "error" && signature !== undefined);
  const first = useEditor((s) => leads(s.drawing.graph.edges, id, source, sourceHandleId, target));
  const hidden = useHidesShape(source);
  const { editor } = useBench();
  const course = useEditor((s) => coursesOf(s.drawing, editor.ports(), s.direction).get(id));
  const { sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition } = props;
  const wire = useMemo(
    () => wirePath({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition }, course),
    [sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, course],
  );
  const { path, spots, points } = wire;
  const lit = useThreads(id, wire),
    words = useLightWords(id);
  const kind = bad ? "wire bad" : signature === undefined ? "wire waiting" : "wire";
  const said = first && !course?.silent && signature !== undefined;
  const text = !said ? "" : hidden ? "?" : `${bad ? "✕ " : ""}${label(signature)}`;
  return (
    <g className={selected ? `${kind} selected` : kind} data-testid={`wire-${id}`}>
      <title>{`${source} → ${target}: ${hidden ? "?" : described(signature)}${words && `; ${words}`}`}</title>
      <BaseEdge path={path} interactionWidth={18} />
      {lit && <Threads lit={lit} />}
      <Label id={id} output={`${source}.${sourceHandleId}`} text={text} spots={spots} points={points} />
    </g>
  );
}

/** What goes along it, and what comes back: the wider the more. */
function Threads({ lit: { forward, backward, paths } }: { lit: Lit }) {
  return (
    <>
      {forward !== undefined && (
        <path
          className="thread there"
          d={paths.forward}
          strokeWidth={widthOf(forward)}
          strokeOpacity={coverOf(forward)}
        />
      )}
      {backward !== undefined && (
        <path
          className="thread back"
          d={paths.backward}
          strokeWidth={widthOf(backward)}
          strokeOpacity={coverOf(backward)}
        />
      )}
    </>
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
