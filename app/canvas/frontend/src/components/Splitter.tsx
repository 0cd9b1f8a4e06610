/** The line between canvas and inspector: dragged, or moved with the arrow keys, it sets the inspector's width. */

import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { prefer } from "../store/preferences";

export const LEAST = 280;
const STEP = 16,
  FAR = 64;
/** How much of the workbench it takes at most. */
const MOST = 0.6;

/** A width that fits into a workbench this wide. */
export const fitting = (width: number, room: number): number =>
  Math.round(Math.max(LEAST, Math.min(width, room * MOST)));

const benchOf = (line: Element): HTMLElement | null => line.closest<HTMLElement>(".loom");
const roomOf = (line: Element): number => benchOf(line)?.clientWidth ?? innerWidth;
const widthOf = (line: Element): number => Math.round(line.parentElement?.getBoundingClientRect().width ?? LEAST);

export function Splitter() {
  const line = useRef<HTMLDivElement>(null);
  const [now, setNow] = useState(LEAST);
  useEffect(() => {
    const panel = line.current?.parentElement;
    if (!panel) return;
    const watch = new ResizeObserver(() => setNow(widthOf(line.current as Element)));
    watch.observe(panel);
    return () => watch.disconnect();
  }, []);
  const start = useRef<{ x: number; width: number } | null>(null);
  const set = (line: Element, width: number) => prefer({ side: fitting(width, roomOf(line)) });

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button) return;
    event.preventDefault();
    event.stopPropagation();
    const line = event.currentTarget;
    line.setPointerCapture(event.pointerId);
    line.focus({ preventScroll: true });
    start.current = { x: event.clientX, width: widthOf(line) };
  };
  const dragged = ({ clientX, currentTarget: line }: PointerEvent<HTMLElement>) =>
    start.current && fitting(start.current.width + start.current.x - clientX, roomOf(line));
  /** Until it is let go of only the style changes: nothing is drawn anew. */
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const width = dragged(event);
    if (width) benchOf(event.currentTarget)?.style.setProperty("--side", sideStyle(width));
  };
  const onPointerUp = (event: PointerEvent<HTMLElement>) => {
    const width = dragged(event);
    if (width && event.clientX !== start.current?.x) prefer({ side: width });
    start.current = null;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const line = event.currentTarget,
      step = event.shiftKey ? FAR : STEP,
      now = widthOf(line);
    const next: Record<string, number> = {
      ArrowLeft: now + step,
      ArrowRight: now - step,
      Home: LEAST,
      End: roomOf(line),
    };
    const width = next[event.key];
    if (width === undefined && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (width === undefined) prefer({ side: null });
    else set(line, width);
  };
  return (
    <div
      ref={line}
      className="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the inspector"
      tabIndex={0}
      data-testid="side-splitter"
      aria-valuenow={now}
      aria-valuemin={LEAST}
      aria-valuemax={Math.max(now, fitting(Infinity, innerWidth))}
      title="Drag, or use the arrow keys; double-click or Enter to reset"
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
      onKeyDown={onKeyDown}
      onDoubleClick={() => prefer({ side: null })}
    />
  );
}

/** Also in a window that is narrower than the one it was chosen in, the canvas keeps its part. */
export const sideStyle = (width: number): string => `min(${width}px, ${MOST * 100}%)`;
