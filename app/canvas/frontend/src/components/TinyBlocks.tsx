/** All blocks of a large drawing as one path for each family, where they are shown so small that none can be read. */

import { ViewportPortal } from "@xyflow/react";
import { useMemo } from "react";
import type { Places } from "../flow/elements";
import { useBench, useEditor } from "../hooks/useEditor";
import type { Drawing } from "../model/drawing";
import type { Direction } from "../model/geometry";
import { type Kind, mapOf, marksOf } from "../model/minimap";

interface Props {
  drawing: Drawing;
  direction: Direction;
  moved: Places;
}

export function TinyBlocks({ drawing, direction, moved }: Props) {
  const { editor } = useBench();
  const notes = useEditor((s) => s.annotations.nodes);
  const path = useEditor((s) => s.path);
  const marks = useMemo(() => marksOf(notes, path), [notes, path]);
  const dragged = Object.keys(moved).join(" ");
  const paths = useMemo(() => {
    const states = new Map(JSON.parse(marks) as [string, string][]),
      gone = new Set(dragged.split(" "));
    const ports = editor.ports();
    const kindOf = (id: string): Kind => {
      if (gone.has(id)) return { state: "dragged" };
      return states.get(id) === "error" ? { state: "error" } : { family: ports.family(id) };
    };
    return mapOf(drawing, ports, direction, kindOf).paths;
  }, [drawing, editor, direction, marks, dragged]);
  return (
    <ViewportPortal>
      <svg className="tiny-blocks" aria-hidden="true">
        {paths.map(({ kind, d }) => {
          if ("family" in kind) return <path key={kind.family} data-family={kind.family} d={d} />;
          return kind.state === "error" ? <path key="error" className="map-error" d={d} /> : null;
        })}
      </svg>
    </ViewportPortal>
  );
}
