/** The front of a sweep: a point per trial by two objectives, the best ones joined by steps, the others faint.
 *
 * A point of the front is a button, for mouse and keyboard: it takes its trial to the canvas. */

import { draw } from "./axes";
import {
  axisTitle,
  equals,
  frontPoints,
  frontSteps,
  objectivesOf,
  objectiveText,
  objectiveTitle,
  reached,
  type FrontPoint,
} from "./objectives";
import type { SweepObjective, SweepView } from "./protocol";
import { scaleOf, type Scale } from "./scale";
import { written } from "./sweep_table";
import { piece } from "./tools";

const HEIGHT = 320;
const TOP = 16;
const BOTTOM = 46;
const LEFT = 78;
const RIGHT = 24;
const MARGIN = 0.05; // of the length of an axis, at both ends
const AT_REST = "Click a point of the front to put its drawing and settings on the canvas.";

export interface FrontLook {
  view: SweepView;
  width: number;
  chosen: number | null;
  titles: Record<string, string>;
  passes: (index: number) => boolean;
}

export class Front {
  readonly element = piece("div", "sweep-front");
  private readonly axes = piece("div", "front-axes");
  private readonly picture = piece("div", "front-picture");
  private readonly reading = piece("p", "front-reading");
  private names: [string, string] = ["", ""]; // of the objectives across and up
  private look: FrontLook | undefined;
  private points: FrontPoint[] = [];
  private drawn = "";

  constructor(
    private readonly take: (trial: number) => void,
    private readonly choose: (trial: number) => void,
  ) {
    this.reading.textContent = AT_REST;
    this.element.append(this.axes, this.picture, this.reading);
    this.element.hidden = true;
  }

  draw(look: FrontLook): void {
    this.look = look;
    const objectives = objectivesOf(look.view);
    this.element.hidden = objectives.length < 2;
    if (this.element.hidden) return;
    const known = objectives.map((each) => each.name);
    if (!this.names.every((name) => known.includes(name))) this.names = [known[1]!, known[0]!];
    const [across, up] = this.names.map((name) => objectives.find((each) => each.name === name)!) as [
      SweepObjective,
      SweepObjective,
    ];
    const points = (this.points = frontPoints(look.view, across, up));
    const out = look.view.trials.map((_, i) => look.passes(i));
    const drawn = JSON.stringify([points, this.names, look.width, look.chosen, known, out]);
    if (drawn === this.drawn) return; // so that the focus and the pointer stay where they are
    this.drawn = drawn;
    this.drawChoices(objectives);
    this.drawPicture(points, across, up, objectives.length === 2);
  }

  /** Which objectives the axes show, where there are more than two. */
  private drawChoices(objectives: SweepObjective[]): void {
    this.axes.hidden = objectives.length < 3;
    if (this.axes.childElementCount || this.axes.hidden) return;
    for (const [index, words] of ["Across", "Up"].entries()) {
      const label = document.createElement("label");
      const select = document.createElement("select");
      for (const each of objectives)
        select.append(new Option(objectiveTitle(each), each.name, false, each.name === this.names[index]));
      select.addEventListener("change", () => {
        this.names[index] = select.value;
        if (this.look) this.draw(this.look);
      });
      label.append(`${words} `, select);
      this.axes.append(label);
    }
  }

  private drawPicture(points: FrontPoint[], across: SweepObjective, up: SweepObjective, joined: boolean): void {
    const { width, view } = this.look!;
    const focused = (this.element.getRootNode() as ShadowRoot | Document).activeElement?.getAttribute("data-front");
    const svg = draw("svg", { width, height: HEIGHT, role: "group", class: "front" });
    const front = points.filter((point) => point.front).length;
    svg.append(
      draw(
        "title",
        {},
        `${objectiveTitle(up)} against ${objectiveTitle(across)} of ${points.length} trials, ${front} on the front`,
      ),
    );
    this.picture.replaceChildren(svg);
    if (!points.length) {
      svg.append(draw("text", { x: width / 2, y: HEIGHT / 2, "text-anchor": "middle" }, "No trial has finished."));
      return;
    }
    const [xs, ys] = [scaleOf(points.map((point) => point.x)), scaleOf(points.map((point) => point.y))];
    const x = (value: number): number => LEFT + within(xs, value) * (width - LEFT - RIGHT);
    const y = (value: number): number => HEIGHT - BOTTOM - within(ys, value) * (HEIGHT - TOP - BOTTOM);
    this.drawAxes(svg, { x, y, xs, ys, across, up });
    if (joined) {
      const line = frontSteps(points, across, up)
        .map((point) => `${x(point.x)},${y(point.y)}`)
        .join(" ");
      svg.append(draw("polyline", { points: line, fill: "none", class: "joined" }));
    }
    const index = new Map(view.trials.map((trial, i) => [trial.trial, i]));
    for (const point of points)
      svg.append(this.point(point, x(point.x), y(point.y), this.look!.passes(index.get(point.trial)!)));
    if (focused) svg.querySelector<SVGElement>(`[data-front="${focused}"]`)?.focus();
  }

  private drawAxes(svg: SVGElement, { x, y, xs, ys, across, up }: Drawn): void {
    const [right, low] = [this.look!.width - RIGHT, HEIGHT - BOTTOM];
    svg.append(draw("line", { x1: LEFT, x2: right, y1: low, y2: low, class: "axis" }));
    svg.append(draw("line", { x1: LEFT, x2: LEFT, y1: TOP, y2: low, class: "axis" }));
    for (const tick of xs.ticks)
      svg.append(draw("text", { x: x(tick), y: low + 17, "text-anchor": "middle" }, objectiveText(across, tick)));
    for (const tick of ys.ticks) {
      svg.append(draw("line", { x1: LEFT, x2: right, y1: y(tick), y2: y(tick), class: "grid" }));
      svg.append(draw("text", { x: LEFT - 7, y: y(tick) + 4, "text-anchor": "end" }, objectiveText(up, tick)));
    }
    svg.append(draw("text", { x: right, y: HEIGHT - 8, "text-anchor": "end", class: "name" }, axisTitle(across)));
    const place = {
      x: 14,
      y: (TOP + low) / 2,
      "text-anchor": "middle",
      class: "name",
      transform: `rotate(-90 14 ${(TOP + low) / 2})`,
    };
    svg.append(draw("text", place, axisTitle(up)));
  }

  private point(point: FrontPoint, x: number, y: number, passes: boolean): SVGElement {
    const chosen = point.trial === this.look!.chosen;
    const kind = `${point.front ? "best" : "beaten"}${chosen ? " chosen" : ""}${passes ? "" : " out"}`;
    const mark = draw("circle", { cx: x, cy: y, r: point.front ? 7 : 4.5, class: kind, "data-front": point.trial });
    const others = equals(this.points, point);
    const words =
      this.words(point.trial) +
      (others.length
        ? `. Trial${others.length > 1 ? "s" : ""} ${others.join(", ")} ${others.length > 1 ? "lie" : "lies"} at the same point`
        : "");
    mark.append(draw("title", {}, words));
    mark.addEventListener("pointerenter", () => this.say(words));
    mark.addEventListener("pointerleave", () => this.say(AT_REST));
    mark.addEventListener("click", () => (point.front ? this.take(point.trial) : this.choose(point.trial)));
    if (!point.front) return mark;
    for (const [name, value] of Object.entries({
      tabindex: "0",
      role: "button",
      "aria-label": `Put on the canvas: ${words}`,
    }))
      mark.setAttribute(name, value);
    mark.addEventListener("focus", () => this.say(words));
    mark.addEventListener("blur", () => this.say(AT_REST));
    mark.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.take(point.trial);
    });
    return mark;
  }

  /** "Trial 7: accuracy 97.2%, parameters 1,591; fc1.out_features 16" */
  private words(number: number): string {
    const { view, titles } = this.look!;
    const trial = view.trials.find((each) => each.trial === number)!;
    const values = objectivesOf(view).map((each) => {
      const words = each.kind === "metric" ? objectiveTitle(each).toLowerCase() : each.words;
      return `${words} ${objectiveText(each, reached(view, trial, each))}`;
    });
    const settings = Object.entries(trial.settings).map(([key, value]) => `${titles[key] ?? key} ${written(value)}`);
    return `Trial ${number}: ${values.join(", ")}; ${settings.join(", ")}`;
  }

  private say(words: string): void {
    this.reading.textContent = words;
  }
}

interface Drawn {
  x: (value: number) => number;
  y: (value: number) => number;
  xs: Scale;
  ys: Scale;
  across: SweepObjective;
  up: SweepObjective;
}

const within = (scale: Scale, value: number): number => MARGIN + (1 - 2 * MARGIN) * scale.at(value);
