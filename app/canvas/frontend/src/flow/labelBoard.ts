/** The labels of the wires that are drawn now, arranged together: no wire knows of the others. */

import type { Rect } from "../model/minimap";
import { arrangeLabels, LINE, type ShownLabel, type WireLabel, zoomStep } from "../model/wireLabels";

const SVG = "http://www.w3.org/2000/svg";

export class LabelBoard {
  private readonly labels = new Map<string, { label: WireLabel; group: SVGGElement }>();
  private waiting = false;
  private step = 0;
  private said = new Set<string>();
  private readonly listeners = new Set<() => void>();

  /** view: the zoom, and where the cards stand. */
  constructor(private readonly view: () => { zoom: number; cards: Iterable<Rect> }) {}

  put(label: WireLabel, group: SVGGElement): void {
    this.labels.set(label.id, { label, group });
    this.later();
  }

  drop(id: string, group: SVGGElement): void {
    if (this.labels.get(id)?.group !== group) return;
    this.labels.delete(id);
    this.later();
  }

  /** The view was moved: only another size of letters changes anything. */
  zoomed(zoom: number): void {
    if (zoomStep(zoom) !== this.step) this.later();
  }

  /** Once for all wires that are drawn in one go, and before they are seen. */
  private later(): void {
    if (this.waiting) return;
    this.waiting = true;
    queueMicrotask(() => {
      this.waiting = false;
      this.arrange();
    });
  }

  private arrange(): void {
    const { zoom, cards } = this.view();
    this.step = zoomStep(zoom);
    const all = [...this.labels.values()];
    const shown = arrangeLabels(
      all.map(({ label }) => label),
      cards,
      this.step,
    );
    for (const { label, group } of all) write(group, shown.get(label.id));
    this.tell(new Set(all.flatMap(({ label }) => (shown.has(label.id) ? [label.output] : []))));
  }

  private tell(said: Set<string>): void {
    if (said.size === this.said.size && [...said].every((output) => this.said.has(output))) return;
    this.said = said;
    for (const listener of this.listeners) listener();
  }

  /** Whether a wire says what leaves this output: its block need not say it again. */
  says = (output: string): boolean => this.said.has(output);

  listen = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

/** Write a label into its group, where it is not written there yet. */
function write(group: SVGGElement, shown: ShownLabel | undefined): void {
  const key = shown ? `${shown.x} ${shown.y} ${shown.size} ${shown.lines.join("\n")}` : "";
  if (group.dataset.key === key) return;
  group.dataset.key = key;
  const [rect, text] = group.children;
  if (!rect || !text) return;
  group.style.display = shown ? "" : "none";
  text.replaceChildren(...(shown ? linesOf(shown) : []));
  if (!shown) return;
  const { x, y, size, width, height } = shown;
  const places = { x: x - width / 2, y: y - height / 2, width, height };
  for (const [name, value] of Object.entries(places)) rect.setAttribute(name, String(value));
  (text as SVGTextElement).style.fontSize = `${size}px`;
}

/** The lines of a label beneath each other, around its middle. */
function linesOf({ lines, x, y, size }: ShownLabel): SVGTSpanElement[] {
  return lines.map((line, i) => {
    const span = document.createElementNS(SVG, "tspan");
    span.textContent = line;
    span.setAttribute("x", String(x));
    span.setAttribute("y", String(y + (i - (lines.length - 1) / 2) * LINE * size));
    span.setAttribute("dy", "0.34em");
    return span;
  });
}
