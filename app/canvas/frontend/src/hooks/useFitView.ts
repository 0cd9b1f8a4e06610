/** Brings blocks into view when the store wishes it. */

import { getViewportForBounds, useReactFlow, useStoreApi, type Viewport } from "@xyflow/react";
import { useEffect, useRef, useState } from "react";
import { cardSize } from "../model/cardSize";
import { leastZoom, type Rect, union } from "../model/minimap";
import { notePlace, noteSize } from "../model/notes";
import { valueRoom } from "../model/valueRoom";
import { coursesOf } from "../model/wireRouting";
import { sampleStore } from "../store/oneSample";
import { prefersReducedMotion } from "./prefersReducedMotion";
import { useBench, useEditor } from "./useEditor";
import { useRefit } from "./useRefit";

/** Where a whole drawing is at least this large, the names on its cards can be read. */
const READABLE = 0.41;
/** At this size all is shown that is written on a card: a drawing that grows is kept whole in view down to it. */
const CLEAR = 0.5;
const MARGIN = 24;
const BELOW = 110;
/** Widest canvas that shows a drawing at its own size at most; on a wider one, as on a 4K screen, it may be larger. */
const WIDE = 1600;
/** Room around a drawing that is shown whole, in pixels: below are the buttons. Beside it a port is more than 40 from the edge, where a wire that is drawn moves the view. */
const ROOM = { top: 24, side: 32, bottom: 52 };

/** A first look that shows only where a drawing begins, and to which sides it goes on. */
export interface Beginning {
  view: Viewport;
  on: string;
}

export function useFitView(): Beginning | null {
  const { editor } = useBench();
  const flow = useReactFlow();
  const api = useStoreApi();
  const request = useEditor((s) => s.viewRequest);
  const done = useRef(0);
  const fitted = useRefit();
  const [beginning, setBeginning] = useState<Beginning | null>(null);

  useEffect(() => {
    editor.middle = () => {
      const { width, height } = api.getState();
      const { x, y, zoom } = flow.getViewport();
      return [Math.round((width / 2 - x) / zoom), Math.round((height / 2 - y) / zoom)];
    };
    editor.zoom = (by) =>
      void flow.zoomTo(flow.getViewport().zoom * by, { duration: prefersReducedMotion() ? 0 : 150 });
  }, [editor, flow, api]);

  useEffect(() => {
    if (request.n === done.current) return;
    const frame = requestAnimationFrame(() => {
      const { width, height } = api.getState();
      if (!width || !height) return;
      done.current = request.n;
      if (request.follow) follow(request.ids[0] as string, request.follow, width, height);
      else if (request.ids.length && request.fit) around(request.ids);
      else if (request.ids.length) reveal(request.ids[0] as string, width, height);
      else if (request.start) begin();
      else whole(prefersReducedMotion() ? 0 : 250);
    });
    return () => cancelAnimationFrame(frame);
  });

  function box(ids: readonly string[]) {
    const { drawing, direction } = editor.state;
    const ports = editor.ports();
    const grown = sampleStore(editor).getState().open ? valueRoom(drawing, ports, direction) : 0;
    const boxes = ids.flatMap((id) => {
      const note = drawing.notes.find((n) => n.id === id);
      if (note) {
        const [x, y] = notePlace(note, drawing.layout);
        return [{ x, y, ...noteSize(note) }];
      }
      const at = drawing.layout[id],
        { width, height } = cardSize(ports, id, direction);
      return at ? [{ x: at[0], y: at[1], width, height: height + grown }] : [];
    });
    const x = Math.min(...boxes.map((b) => b.x)),
      y = Math.min(...boxes.map((b) => b.y));
    return {
      x,
      y,
      width: Math.max(...boxes.map((b) => b.x + b.width)) - x,
      height: Math.max(...boxes.map((b) => b.y + b.height)) - y,
    };
  }

  /** All of these blocks, as large as they fit. */
  function around(ids: readonly string[]): void {
    void flow.fitBounds(box(ids), { padding: 0.15, duration: prefersReducedMotion() ? 0 : 250 });
  }

  /** Go with a block that was added: all of the drawing where that can be read well, else the block. */
  function follow(id: string, what: "added" | "moved", width: number, height: number): void {
    const all = extent();
    const view = all && viewOf(all),
      { zoom } = flow.getViewport();
    const seen = inView(id, width, height) && zoom >= CLEAR;
    if (!all || (seen && (what === "added" || sides(all, flow.getViewport()) === ""))) return;
    if (view && view.zoom >= CLEAR && zoom <= Math.max(1, width / WIDE))
      void flow.setViewport(view, { duration: prefersReducedMotion() ? 0 : 250 });
    else reveal(id, width, height);
  }

  function inView(id: string, width: number, height: number): boolean {
    const b = box([id]);
    const { x, y, zoom } = flow.getViewport();
    const left = b.x * zoom + x,
      above = b.y * zoom + y;
    return (
      left > MARGIN &&
      above > top() &&
      left + b.width * zoom < width - MARGIN &&
      above + b.height * zoom < height - BELOW
    );
  }

  /** Centre a block, unless it is well in view, or all of the drawing is: then nothing moves under light that runs. */
  function reveal(id: string, width: number, height: number): void {
    const b = box([id]),
      { zoom } = flow.getViewport();
    const all = extent();
    if (zoom >= CLEAR && (inView(id, width, height) || (all && sides(all, flow.getViewport()) === ""))) return;
    void flow.setCenter(b.x + b.width / 2, b.y + b.height / 2, {
      zoom: Math.max(zoom, 0.8),
      duration: prefersReducedMotion() ? 0 : 250,
    });
  }

  /** How much of the top is covered by what says where the canvas is. */
  function top(): number {
    const crumbs = api.getState().domNode?.closest(".stage")?.querySelector(".crumbs");
    return ROOM.top + (crumbs?.clientHeight ?? 0);
  }

  /** What all of the drawing covers: its blocks, its notes, and the wires that lead around them. */
  function extent(): Rect | null {
    const { drawing, direction } = editor.state;
    const ids = [...Object.keys(drawing.graph.nodes), ...drawing.notes.map((note) => note.id)];
    if (!ids.length) return null;
    const corners = [...coursesOf(drawing, editor.ports(), direction).values()].flatMap(({ points }) =>
      points.map(([x, y]): Rect => ({ x, y, width: 0, height: 0 })),
    );
    return corners.reduce<Rect>(union, box(ids));
  }

  /** All of a drawing, in the middle of what is free. */
  function viewOf(all: Rect): Viewport {
    const { width, height } = api.getState();
    const padding = {
      top: `${top()}px`,
      left: `${ROOM.side}px`,
      right: `${ROOM.side}px`,
      bottom: `${ROOM.bottom}px`,
    } as const;
    return getViewportForBounds(
      all,
      width,
      height,
      leastZoom(editor.state.drawing.layout),
      Math.max(1, width / WIDE),
      padding,
    );
  }

  function whole(duration = 0): void {
    const all = extent();
    if (all) void flow.setViewport(viewOf(all), { duration }).then(() => fitted(() => whole()));
  }

  /** First look at a drawing: all of it if that is readable, else its beginning. */
  function begin(): void {
    const all = extent();
    if (!all) return;
    const near = viewOf(all),
      fits = near.zoom >= READABLE,
      view = fits ? near : beginningOf(all);
    void flow.setViewport(view).then(() => {
      fitted(begin);
      setBeginning(fits ? null : { view, on: sides(all, view) });
    });
  }

  function beginningOf(all: Rect): Viewport {
    const { drawing, direction } = editor.state;
    const { width, height } = api.getState(),
      high = height - top() - ROOM.bottom;
    const zoom = 0.75;
    const first = box(Object.keys(drawing.graph.nodes).slice(0, 1));
    const x = direction === "down" ? width / 2 - (first.x + first.width / 2) * zoom : ROOM.side - all.x * zoom;
    const low = direction === "right" && all.height * zoom < high;
    const seen = (first.y + first.height - all.y) * zoom < high - 8;
    const middle = low ? all : first;
    const y = top() - (!low && seen ? all.y * zoom - 8 : (middle.y + middle.height / 2) * zoom - high / 2);
    return { x, y, zoom };
  }

  /** On which sides a drawing goes on beyond a view. */
  function sides(all: Rect, { x, y, zoom }: Viewport): string {
    const { width, height } = api.getState();
    const on = {
      above: all.y * zoom + y < 0,
      "to the left": all.x * zoom + x < 0,
      "to the right": (all.x + all.width) * zoom + x > width,
      below: (all.y + all.height) * zoom + y > height,
    };
    return Object.entries(on)
      .filter(([, more]) => more)
      .map(([side]) => side)
      .join(" and ");
  }

  return beginning;
}
