/** Brings blocks into view when the store wishes it. */

import { useReactFlow, useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import { cardSize } from "../model/layout";
import { notePlace, noteSize } from "../model/remarks";
import { calm, useBench, useEditor } from "./context";

const READABLE = 0.5;
const MARGIN = 24;
const BELOW = 110;
export const FIT = { padding: { top: "24px", left: "40px", right: "40px", bottom: "52px" }, maxZoom: 1 } as const;

export function useView(): void {
  const { editor } = useBench();
  const flow = useReactFlow();
  const api = useStoreApi();
  const look = useEditor((s) => s.look);
  const done = useRef(0);

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
      done.current = look.n;
      const { width, height } = api.getState();
      if (!width || !height) return;
      if (look.ids.length && look.fit) around(look.ids);
      else if (look.ids.length) reveal(look.ids[0] as string, width, height);
      else if (look.start) begin(width, height);
      else void flow.fitView({ ...FIT, duration: calm() ? 0 : 250 });
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
    const left = b.x * zoom + x, top = b.y * zoom + y;
    const inside = left > MARGIN && top > MARGIN && left + b.width * zoom < width - MARGIN && top + b.height * zoom < height - BELOW;
    if (inside && zoom >= READABLE) return;
    void flow.setCenter(b.x + b.width / 2, b.y + b.height / 2, {
      zoom: Math.max(zoom, 0.8), duration: calm() ? 0 : 250,
    });
  }

  /** First look at a drawing: all of it if that is readable, else its beginning. */
  function begin(width: number, height: number): void {
    const { drawing, direction } = editor.state;
    const ids = Object.keys(drawing.graph.nodes);
    if (!ids.length) return;
    const all = box(ids);
    const fit = Math.min(1, width / (all.width + 80), height / (all.height + 80));
    if (fit >= READABLE) {
      void flow.fitView(FIT);
      return;
    }
    const zoom = 0.75;
    const first = box([ids[0] as string]);
    const x = direction === "down" ? width / 2 - (first.x + first.width / 2) * zoom : 40 - all.x * zoom;
    const low = direction === "right" && all.height * zoom < height - 64;
    const y = low ? height / 2 - (all.y + all.height / 2) * zoom : 32 - all.y * zoom;
    void flow.setViewport({ x, y, zoom });
  }
}
