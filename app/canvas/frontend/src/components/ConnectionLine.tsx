/** The wire being drawn; says why when it cannot end where the pointer is, and what it would replace. */

import { type ConnectionLineComponentProps, getBezierPath, useStore as useFlow } from "@xyflow/react";
import { feedbackAtBlock, feedbackAtPort, feedbackFromBlock, type Feedback } from "../flow/connectionTarget";
import { asEdge, type AnyFlow } from "../flow/elements";
import { useBench } from "../hooks/useEditor";

export function ConnectionLine(props: ConnectionLineComponentProps<AnyFlow>) {
  const { editor } = useBench();
  const zoom = useFlow((s) => s.transform[2]);
  const { fromX, fromY, toX, toY, fromPosition, toPosition, fromHandle, toHandle } = props;
  const [path] = getBezierPath({
    sourceX: fromX,
    sourceY: fromY,
    sourcePosition: fromPosition,
    targetX: toX,
    targetY: toY,
    targetPosition: toPosition,
  });
  const told = tell();
  return (
    <g className={told.tone === "bad" ? "wire drawn bad" : "wire drawn"}>
      <path d={path} className="react-flow__connection-path" fill="none" />
      {told.text && (
        <g transform={`translate(${toX} ${toY}) scale(${1 / zoom})`}>
          <foreignObject x={16} y={-12} width={280} height={110} className="wire-reason">
            <div role="status" data-tone={told.tone} data-testid={told.tone === "bad" ? "wire-refused" : "wire-told"}>
              {told.text}
            </div>
          </foreignObject>
        </g>
      )}
    </g>
  );

  function tell(): Feedback {
    if (!toHandle)
      return (fromHandle.type === "source" ? feedbackAtBlock : feedbackFromBlock)(
        editor,
        fromHandle.nodeId,
        fromHandle.id ?? "",
        toX,
        toY,
      );
    if (fromHandle.type === toHandle.type) return { text: "A wire goes from an output to an input.", tone: "bad" };
    const [out, into] = fromHandle.type === "source" ? [fromHandle, toHandle] : [toHandle, fromHandle];
    return feedbackAtPort(
      editor,
      asEdge({ source: out.nodeId, sourceHandle: out.id, target: into.nodeId, targetHandle: into.id }),
    );
  }
}
