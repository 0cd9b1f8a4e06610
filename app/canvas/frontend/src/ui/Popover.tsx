/** What is wrong with the selected block, beside it, with the fixes that are offered. */

import { NodeToolbar, Position } from "@xyflow/react";
import type { Direction } from "../model/geometry";
import type { Problem } from "../store/annotations";
import type { Editor } from "../store/editor";
import { applyFix } from "../store/verbs";
import { Icon } from "./icons";

interface Props {
  problem: Problem;
  direction: Direction;
  editor: Editor;
}

export function Popover({ problem, direction, editor }: Props) {
  return (
    <NodeToolbar isVisible position={direction === "down" ? Position.Right : Position.Bottom} offset={16} className="nodrag nopan">
      <div className="popover" role="alert" data-level={problem.level} data-testid={`popover-${problem.node}`}>
        <p className="popover-what"><Icon name={problem.level} /> <span>{problem.message}</span></p>
        {problem.hint && <p className="muted">{problem.hint}</p>}
        {problem.fixes.map((fix, i) => (
          <button key={fix.title} type="button" className="button fix" data-testid={`fix-${problem.node}-${i}`} onClick={() => applyFix(editor, fix)}>
            {fix.title}
          </button>
        ))}
      </div>
    </NodeToolbar>
  );
}
