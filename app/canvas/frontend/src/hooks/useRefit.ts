/** A drawing that was fitted into the window is fitted anew when the window changes, until a hand moves the view. */

import { useReactFlow, useStore as useFlow, useStoreApi, type Viewport } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { typing } from "../actions/focus";

const SETTLED_MS = 150;

/** Returns what says that the view was fitted just now, and how it is fitted again. */
export function useRefit(): (again: () => void) => void {
  const flow = useReactFlow();
  const api = useStoreApi();
  const size = useFlow((s) => `${s.width} ${s.height}`);
  const fitted = useRef<{ view: Viewport; again: () => void } | null>(null);

  useEffect(() => {
    const still = () => fitted.current !== null && sameViewport(fitted.current.view, flow.getViewport());
    if (!still()) return;
    const settled = () => {
      if (!still()) return;
      if (busy(api.getState())) timer = setTimeout(settled, SETTLED_MS);
      else fitted.current?.again();
    };
    let timer = setTimeout(settled, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [size, flow, api]);

  return (again) => {
    fitted.current = { view: flow.getViewport(), again };
  };
}

export const sameViewport = (a: Viewport, b: Viewport) =>
  Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1 && Math.abs(a.zoom - b.zoom) < 1e-3;

/** Whether a hand drags something or writes: then nothing may jump. */
function busy({
  connection,
  nodes,
  userSelectionActive,
  domNode,
}: ReturnType<ReturnType<typeof useStoreApi>["getState"]>): boolean {
  const focus = (domNode?.getRootNode() as ShadowRoot | undefined)?.activeElement;
  return connection.inProgress || userSelectionActive || nodes.some((n) => n.dragging) || (!!focus && typing(focus));
}
