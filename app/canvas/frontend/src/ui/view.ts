/** Brings blocks into view when the store wishes it. */

import { useReactFlow, useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { cardSize } from "../model/layout";
import { notePlace, noteSize } from "../model/remarks";
import { calm, useBench, useEditor } from "./context";
import { useRefit } from "./refit";

const READABLE = 0.5;
const MARGIN = 24;
const BELOW = 110;
/** Room around a drawing that is shown whole, in pixels: below are the buttons, above where the canvas is. */
const ROOM = { top: 24, side: 40, bottom: 52 };

export function useView(): void {
  const { editor } = useBench();
  const flow = useReactFlow();
  const api = useStoreApi();
  const look = useEditor((s) => s.look);
  const done = useRef(0);
  const fitted = useRefit();

  useEffect(() => {
    editor.middle = () => {
      const { width, height } = api.getState();
      const { x, y, zoom } = flow.getViewport();
      return [Math.round((width / 2 - x) / zoom), Math.round((height / 2 - y) / zoom)];
    };
  }, [editor, flow, api]);

  useEffect(() => {
    if (look.n === done.current) return;
    const frame = requestAnimationFrame(() => {
      const { width, height } = api.getState();
      if (!width || !height) return;
      done.current = look.n;
      if (look.ids.length && look.fit) around(look.ids);
      else if (look.ids.length) reveal(look.ids[0] as string, width, height);
      else if (look.start) begin();
      else whole(calm() ? 0 : 250);
    });
    return () => cancelAnimationFrame(frame);
  });

  function box(ids: readonly string[]) {
    const { drawing, direction } = editor.state;
    const ports = editor.ports();
    const boxes = ids.flatMap((id) => {
      const note = drawing.notes.find((n) => n.id === id);
      if (note) {
        const [x, y] = notePlace(note, drawing.layout);
        return [{ x, y, ...noteSize(note) }];
      }
      const at = drawing.layout[id];
      return at ? [{ x: at[0], y: at[1], ...cardSize(ports, id, direction) }] : [];
    });
    const x = Math.min(...boxes.map((b) => b.x)), y = Math.min(...boxes.map((b) => b.y));
    return {
      x, y,
      width: Math.max(...boxes.map((b) => b.x + b.width)) - x,
      height: Math.max(...boxes.map((b) => b.y + b.height)) - y,
    };
  }

  /** All of these blocks, as large as they fit. */
  function around(ids: readonly string[]): void {
    void flow.fitBounds(box(ids), { padding: 0.15, duration: calm() ? 0 : 250 });
  }

  /** Centre a block, unless it is well in view. */
  function reveal(id: string, width: number, height: number): void {
    const b = box([id]);
    const { x, y, zoom } = flow.getViewport();
    const left = b.x * zoom + x, above = b.y * zoom + y;
    const inside = left > MARGIN && above > top() && left + b.width * zoom < width - MARGIN && above + b.height * zoom < height - BELOW;
    if (inside && zoom >= READABLE) return;
    void flow.setCenter(b.x + b.width / 2, b.y + b.height / 2, {
      zoom: Math.max(zoom, 0.8), duration: calm() ? 0 : 250,
    });
  }

  /** How much of the top is covered by what says where the canvas is. */
  function top(): number {
    const crumbs = api.getState().domNode?.closest(".stage")?.querySelector(".crumbs");
    return ROOM.top + (crumbs?.clientHeight ?? 0);
  }

  function fit() {
    const padding = { top: `${top()}px`, left: `${ROOM.side}px`, right: `${ROOM.side}px`, bottom: `${ROOM.bottom}px` } as const;
    return { padding, maxZoom: 1 };
  }

  function whole(duration = 0): void {
    void flow.fitView({ ...fit(), duration }).then(() => fitted(() => whole()));
  }

  /** First look at a drawing: all of it if that is readable, else its beginning. */
  function begin(): void {
    const { drawing, direction } = editor.state;
    const { width, height } = api.getState();
    const ids = Object.keys(drawing.graph.nodes);
    if (!ids.length) return;
    const all = box(ids), high = height - top() - ROOM.bottom;
    if (Math.min((width - 2 * ROOM.side) / all.width, high / all.height) >= READABLE) {
      void flow.fitView(fit()).then(() => fitted(begin));
      return;
    }
    const zoom = 0.75;
    const first = box([ids[0] as string]);
    const x = direction === "down" ? width / 2 - (first.x + first.width / 2) * zoom : ROOM.side - all.x * zoom;
    const low = direction === "right" && all.height * zoom < high;
    const seen = (first.y + first.height - all.y) * zoom < high - 8;
    const middle = low ? all : first;
    const y = top() - (!low && seen ? all.y * zoom - 8 : (middle.y + middle.height / 2) * zoom - high / 2);
    void flow.setViewport({ x, y, zoom }).then(() => fitted(begin));
  }
}
