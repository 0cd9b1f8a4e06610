/** What is wrong with the selected block, beside it, with the fixes that are offered. */

import { NodeToolbar, Position, useStore as useFlow } from "@xyflow/react";
import type { Direction } from "../model/geometry";
import type { Problem } from "../protocol";
import type { Editor } from "../store/editor";
import { FixList } from "./FixList";
import { Icon } from "./icons";

interface Props {
  id: string;
  problem: Problem;
  direction: Direction;
  editor: Editor;
}

const LOW = 0.5;
const WIDE = 300;

export function Popover({ id, problem, direction }: Props) {
  const low = useFlow((s) => {
    const y = s.nodeLookup.get(id)?.internals.positionAbsolute.y ?? 0;
    return y * s.transform[2] + s.transform[1] > s.height * LOW;
  });
  const align = useFlow((s) => {
    const node = s.nodeLookup.get(id);
    const width = (node?.measured.width ?? 0) * s.transform[2];
    const left = (node?.internals.positionAbsolute.x ?? 0) * s.transform[2] + s.transform[0];
    const out = (WIDE - width) / 2;
    return left + width + out > s.width ? "end" : left < out ? "start" : "center";
  });
  const position = direction === "down" ? Position.Right : low ? Position.Top : Position.Bottom;
  return (
    <NodeToolbar
      isVisible
      position={position}
      align={direction === "down" ? "start" : align}
      offset={16}
      className="nodrag nopan"
    >
      <div className="popover" role="alert" data-level={problem.level} data-testid={`popover-${problem.node}`}>
        <p className="popover-what">
          <Icon name={problem.level} /> <span>{problem.message}</span>
        </p>
        {problem.hint && <p className="muted">{problem.hint}</p>}
        <FixList
          finding={problem}
          testid={(i) => `fix-${problem.node}-${i}`}
          beside={position === Position.Top ? "above" : "below"}
        />
      </div>
    </NodeToolbar>
  );
}
