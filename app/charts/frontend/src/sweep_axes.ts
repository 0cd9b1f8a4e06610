/** Parallel axes of a sweep: a line per trial; dragging along an axis keeps the trials that pass there. */

import { draw, lines, places, ticks } from "./axes";
import type { Trial } from "./protocol";
import { piece } from "./tools";

const HEIGHT = 300;
const TOP = 56;
const BOTTOM = 26;
const SIDE = 78;
const NEXT = 96;
const REACH = 16; // half the width of the part of an axis that is dragged along
const LEAST = 0.015; // of the height: less is a press, which takes the range away

export interface TrialAxis {
  name: string;
  title: string;
  values: (number | string | null)[];
  texts: string[];
  powers?: boolean;
}
export interface Look {
  width: number;
  chosen: number | null;
  stroke: (trial: Trial) => string;
  best: number | null;
}
type Range = [number, number];

export class SweepAxes {
  readonly element = piece("div", "run-axes");
  private readonly ranges = new Map<string, Range>();
  private drag: { name: string; from: number } | null = null;
  private trials: Trial[] = [];
  private axes: TrialAxis[] = [];
  private at: (number | null)[][] = [];

  constructor(
    private readonly changed: () => void,
    private readonly choose: (trial: number) => void,
  ) {
    this.element.addEventListener("pointerdown", (event) => this.onDown(event));
    this.element.addEventListener("pointermove", (event) => this.onMove(event));
    this.element.addEventListener("pointerup", () => this.onUp());
    this.element.addEventListener("pointercancel", () => this.onUp());
  }

  get brushed(): boolean {
    return this.ranges.size > 0;
  }

  clear(): void {
    this.ranges.clear();
    this.changed();
  }

  set(trials: Trial[], axes: TrialAxis[]): void {
    this.trials = trials;
    this.axes = axes;
    this.at = axes.map(places);
    for (const name of this.ranges.keys()) if (!axes.some((axis) => axis.name === name)) this.ranges.delete(name);
  }

  /** Whether a trial passes through every range that was dragged. */
  passes(index: number): boolean {
    return this.axes.every(({ name }, i) => {
      const range = this.ranges.get(name);
      const at = this.at[i]?.[index];
      return !range || (at !== null && at !== undefined && at >= range[0] - 1e-9 && at <= range[1] + 1e-9);
    });
  }

  draw(look: Look): void {
    if (this.axes.length < 2 || !this.trials.length) return this.element.replaceChildren();
    const step = Math.max(NEXT, (look.width - 2 * SIDE) / (this.axes.length - 1));
    const svg = draw("svg", {
      width: 2 * SIDE + step * (this.axes.length - 1),
      height: HEIGHT,
      role: "img",
      class: "parallel",
    });
    svg.append(
      draw(
        "title",
        {},
        `Parallel axes of ${this.trials.length} trials: ${this.axes.map((axis) => axis.title).join(", ")}`,
      ),
    );
    const atEnd = (i: number): boolean => i === 0 || i === this.axes.length - 1;
    this.axes.forEach((axis, i) =>
      this.drawAxis(svg, axis, SIDE + i * step, atEnd(i) ? Math.min(step, 2 * SIDE) : step),
    );
    const order = this.trials.map((_, i) => i).sort((a, b) => this.weight(a, look) - this.weight(b, look));
    for (const index of order) svg.append(this.line(index, step, look));
    this.axes.forEach((axis, i) => {
      for (const [place, text] of ticks(axis, this.at[i]!))
        svg.append(draw("text", { x: SIDE + i * step - 7, y: y(place) - 6, "text-anchor": "end" }, text));
    });
    this.axes.forEach((axis, i) => svg.append(handle(axis.name, SIDE + i * step)));
    this.element.replaceChildren(svg);
  }

  /** What lies on top of what: chosen, best, in every range. */
  private weight(index: number, look: Look): number {
    const { trial } = this.trials[index]!;
    return (this.passes(index) ? 1 : 0) + (trial === look.best ? 2 : 0) + (trial === look.chosen ? 4 : 0);
  }

  private line(index: number, step: number, look: Look): SVGElement {
    const trial = this.trials[index]!;
    const points = this.axes.flatMap((_, i) => {
      const at = this.at[i]![index];
      return at === null || at === undefined ? [] : [`${SIDE + i * step},${y(at)}`];
    });
    const line = draw("polyline", { points: points.join(" "), fill: "none", stroke: look.stroke(trial) });
    line.setAttribute("stroke-width", trial.trial === look.chosen ? "4.5" : trial.trial === look.best ? "3.5" : "2");
    if (trial.value === null) line.setAttribute("stroke-dasharray", "4 4");
    line.setAttribute("class", this.passes(index) ? "trial" : "trial out");
    line.setAttribute("data-trial", String(trial.trial));
    line.append(draw("title", {}, `Trial ${trial.trial}`));
    line.addEventListener("click", () => this.choose(trial.trial));
    return line;
  }

  private drawAxis(svg: SVGElement, axis: TrialAxis, x: number, step: number): void {
    svg.append(draw("line", { x1: x, x2: x, y1: y(0), y2: y(1), class: "axis" }));
    lines(axis.title, step).forEach((text, line) =>
      svg.append(draw("text", { x, y: 14 + 16 * line, "text-anchor": "middle", class: "name" }, text)),
    );
    const range = this.ranges.get(axis.name);
    if (range)
      svg.append(
        draw("rect", {
          x: x - 7,
          width: 14,
          y: y(range[1]),
          height: Math.max(3, y(range[0]) - y(range[1])),
          class: "range",
        }),
      );
  }

  private onDown(event: PointerEvent): void {
    const name = event.target instanceof Element ? event.target.getAttribute("data-axis") : null;
    if (!name || event.button !== 0) return;
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    this.drag = { name, from: this.place(event) };
    this.ranges.delete(name);
    this.changed();
  }

  private onMove(event: PointerEvent): void {
    if (!this.drag) return;
    const to = this.place(event);
    const range: Range = [Math.min(this.drag.from, to), Math.max(this.drag.from, to)];
    if (range[1] - range[0] < LEAST) this.ranges.delete(this.drag.name);
    else this.ranges.set(this.drag.name, range);
    this.changed();
  }

  private onUp(): void {
    this.drag = null;
  }

  private place(event: PointerEvent): number {
    const top = this.element.querySelector("svg")?.getBoundingClientRect().top ?? 0;
    return Math.min(1, Math.max(0, (HEIGHT - BOTTOM - (event.clientY - top)) / (HEIGHT - TOP - BOTTOM)));
  }
}

const y = (place: number): number => HEIGHT - BOTTOM - place * (HEIGHT - TOP - BOTTOM);

/** The part of an axis that is dragged along. */
function handle(name: string, x: number): SVGElement {
  const box = draw("rect", { x: x - REACH, width: 2 * REACH, y: y(1) - 8, height: y(0) - y(1) + 16, class: "handle" });
  box.setAttribute("data-axis", name);
  return box;
}
