/**
 * The whole drawing in small, and which part of it is in view; drag on it to pan, scroll to zoom.
 * A few paths instead of one element per block: it costs nothing while a block is dragged.
 */

import { Panel, useReactFlow, useStore as useFlow, useStoreApi } from "@xyflow/react";
import { type PointerEvent, useEffect, useMemo, useRef } from "react";
import { shallow } from "zustand/shallow";
import { useBench, useEditor } from "../hooks/useEditor";
import { covers, type Kind, type Rect, mapOf, marksOf, union, viewBox } from "../model/minimap";

const WIDTH = 124,
  HEIGHT = 88;

export function Minimap() {
  const { editor } = useBench();
  const drawing = useEditor((s) => s.drawing);
  const notes = useEditor((s) => s.annotations.nodes);
  const direction = useEditor((s) => s.direction);
  const path = useEditor((s) => s.path);
  const marks = useMemo(() => marksOf(notes, path), [notes, path]);
  const map = useMemo(() => {
    const states = new Map(JSON.parse(marks) as [string, string][]);
    const ports = editor.ports(),
      kind = (id: string): Kind => {
        const state = states.get(id);
        return state ? { state } : { family: ports.family(id) };
      };
    return mapOf(drawing, ports, direction, kind);
  }, [drawing, editor, direction, marks]);
  const [x, y, zoom, width, height] = useFlow((s) => [...s.transform, s.width, s.height] as const, shallow);
  const view = { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom };
  const box = viewBox(union(map.bounds, view), WIDTH / HEIGHT);
  const whole = map.bounds !== null && covers(view, map.bounds);
  const { surface, pan } = useGrip(box.width / WIDTH);
  return (
    <Panel position="bottom-right" className="drawing-map" data-testid="drawing-map" data-whole={whole || undefined}>
      <svg
        ref={surface}
        role="img"
        aria-label="Map of the drawing"
        viewBox={`${box.x} ${box.y} ${box.width} ${box.height}`}
        onPointerDown={(e) => e.currentTarget.setPointerCapture(e.pointerId)}
        onPointerMove={pan}
      >
        {map.paths.map(({ kind, d }) =>
          "state" in kind ? (
            <path key={kind.state} className={`map-${kind.state}`} d={d} />
          ) : (
            <path key={kind.family} className="map-family" data-family={kind.family} d={d} />
          ),
        )}
        <path className="map-mask" fillRule="evenodd" d={frame(box) + frame(view)} />
      </svg>
    </Panel>
  );
}

/** Panning and zooming from the map. scale: of the drawing to the map. */
function useGrip(scale: number) {
  const flow = useReactFlow();
  const api = useStoreApi();
  const surface = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const map = surface.current;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const {
        transform: [, , zoom],
        minZoom,
        maxZoom,
        width,
        height,
      } = api.getState();
      const next = Math.min(
        maxZoom,
        Math.max(minZoom, zoom * 2 ** (-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.002))),
      );
      const { x, y } = flow.getViewport(),
        by = next / zoom;
      void flow.setViewport({ x: width / 2 - (width / 2 - x) * by, y: height / 2 - (height / 2 - y) * by, zoom: next });
    };
    map?.addEventListener("wheel", onWheel, { passive: false });
    return () => map?.removeEventListener("wheel", onWheel);
  }, [flow, api]);
  const pan = (event: PointerEvent) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const { x, y, zoom } = flow.getViewport();
    void flow.setViewport({ x: x - event.movementX * scale * zoom, y: y - event.movementY * scale * zoom, zoom });
  };
  return { surface, pan };
}

const frame = ({ x, y, width, height }: Rect) => `M${x},${y}h${width}v${height}h${-width}z`;
