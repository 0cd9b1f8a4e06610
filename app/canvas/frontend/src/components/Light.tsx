/** The light that runs along the wires: a picture over the drawing, while it runs. */

import { useReactFlow, useStoreApi } from "@xyflow/react";
import { useContext, useEffect, useRef } from "react";
import { useStore } from "zustand";
import { AFTER_MS, type Inks, LightPainter } from "../flow/lightPainter";
import { prefersReducedMotion } from "../hooks/prefersReducedMotion";
import { useBench } from "../hooks/useEditor";
import { type Tracks, TracksContext } from "../hooks/useLight";
import type { Flight } from "../model/light";
import type { Rect } from "../model/minimap";
import { DARK, LIGHT, type Inks as ValueInks } from "../model/sample";
import { growsTaller, valueRoom } from "../model/valueRoom";
import type { Editor } from "../store/editor";
import { sampleStore } from "../store/oneSample";
import { landed, lightStore, watchLight } from "../store/light";

/** The colours of values: above zero goes forward, the opposite comes back. */
const inksOf = ({ plus, minus }: ValueInks): Inks => ({ forward: plus, backward: minus });
const PAINTER = new LightPainter();

export function Light() {
  const { editor } = useBench();
  const running = useStore(lightStore(editor), (s) => (s.flying ? s.flight : null));
  useEffect(() => watchLight(editor, prefersReducedMotion), [editor]);
  return running && <Running key={keyOf(running)} flight={running} />;
}

const keys = new WeakMap<Flight, number>();
let made = 0;

/** Another number for each flight: a new one begins with a new picture. */
function keyOf(flight: Flight): number {
  let key = keys.get(flight);
  if (key === undefined) keys.set(flight, (key = ++made));
  return key;
}

function Running({ flight }: { flight: Flight }) {
  const { editor } = useBench();
  const ref = useRef<HTMLCanvasElement>(null);
  const api = useStoreApi(),
    flow = useReactFlow();
  const tracks = useContext(TracksContext);
  useEffect(() => {
    const canvas = ref.current;
    if (!canvas || !tracks) return;
    const stage = canvas.closest(".canvas");
    stage?.setAttribute("data-light", "runs");
    const card = (id: string): Rect | undefined => {
      const node = api.getState().nodeLookup.get(id);
      return node && { ...node.internals.positionAbsolute, ...grownSize(node.measured, grownBy(editor, id)) };
    };
    const labels = labelsIn(stage);
    let begun = 0,
      frame = 0;
    const draw = (now: number) => {
      begun ||= now;
      const ms = now - begun;
      const strengths = lightStore(editor).getState().wires;
      paint(canvas, flow.getViewport(), flight, ms, { tracks, card, labels, strengths });
      if (ms < flight.ms + AFTER_MS) frame = requestAnimationFrame(draw);
      else landed(editor);
    };
    frame = requestAnimationFrame(draw);
    return () => {
      cancelAnimationFrame(frame);
      stage?.removeAttribute("data-light");
    };
  }, [flight, tracks, api, flow, editor]);
  return <canvas ref={ref} className="light-runs" aria-hidden="true" data-testid="light" />;
}

const grownSize = ({ width = 0, height = 0 }: { width?: number; height?: number }, by: number) => ({
  width,
  height: height + by,
});

/** How much higher a card is while it shows a value. */
function grownBy(editor: Editor, id: string): number {
  const { drawing, direction, path } = editor.state,
    shown = sampleStore(editor).getState().looked?.blocks[path + id] !== undefined;
  return shown && growsTaller(editor.ports(), id) ? valueRoom(drawing, editor.ports(), direction) : 0;
}

/** Where the labels of the wires stand, in the drawing's pixels. */
function labelsIn(stage: Element | null): Rect[] {
  const found = stage?.querySelectorAll<SVGRectElement>(".wire-label rect") ?? [];
  return [...found].filter(isShown).map((rect) => {
    const [x = 0, y = 0, width = 0, height = 0] = ["x", "y", "width", "height"].map((name) =>
      Number(rect.getAttribute(name)),
    );
    return { x, y, width, height };
  });
}

const isShown = (rect: SVGRectElement): boolean => rect.parentElement?.style.display !== "none";

interface Seen {
  tracks: Tracks;
  labels: readonly Rect[];
  card: (id: string) => Rect | undefined;
  strengths: ReturnType<ReturnType<typeof lightStore>["getState"]>["wires"];
}

/** One moment, as large and as far aside as the drawing is seen. */
function paint(
  canvas: HTMLCanvasElement,
  { x, y, zoom }: { x: number; y: number; zoom: number },
  flight: Flight,
  ms: number,
  { tracks, card, labels, strengths }: Seen,
): void {
  const pen = canvas.getContext("2d"),
    sharp = devicePixelRatio;
  const { clientWidth, clientHeight } = canvas;
  if (!pen || !clientWidth) return;
  const width = Math.round(clientWidth * sharp),
    height = Math.round(clientHeight * sharp);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.setTransform(sharp * zoom, 0, 0, sharp * zoom, sharp * x, sharp * y);
  const dark = canvas.closest("[data-theme=dark]") !== null;
  const track = (wire: string, way: "forward" | "backward") => tracks.get(wire)?.[way];
  PAINTER.paint(pen, { flight, strengths, track, card, labels, inks: inksOf(dark ? DARK : LIGHT), dark }, ms);
}
