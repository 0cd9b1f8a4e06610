/** One uPlot chart for one quantity: any number of lines, the same zoom for all charts of a view. */

import uPlot from "uplot";
import type { Aims, Column } from "./protocol";
import { powers } from "./scale";
import { swatch } from "./tools";
import { ABOUT, isLogarithmic, place, quantity as written, tick, title } from "./words";

const LOW = 190,
  HIGH = 480,
  SHARE = 0.28;
/** Higher where it is wide, so that curves on a large screen are no stripes. */
const heightFor = (width: number): number => Math.round(Math.min(HIGH, Math.max(LOW, SHARE * width)));
/** Distances of ticks: some multiples of each power of ten. */
export const distances = (low: number, high: number, multiples: number[]): number[] =>
  Array.from({ length: high - low + 1 }, (_, i) => multiples.map((times) => Number(`${times}e${low + i}`))).flat();
const WHOLE = distances(0, 12, [1, 2, 5]);
/** uPlot's own end at 1e32, and a loss that explodes does not. */
const ANY = distances(-40, 307, [1, 2, 2.5, 5]);
const POWERS: Partial<uPlot.Axis> = {
  splits: (_chart, _axis, low, high) => powers(low, high),
  filter: (_chart, splits) => splits,
};
/** Width of a chart whose lines are all named in one row; else those that no value is read off have no name. */
const ROOM_FOR_ALL = 480;
/** Width of the labels beside a chart; more where a label is longer, up to a third of the chart. */
const LABELS = 56,
  MOST_LABELS = 1 / 3;
const HUGE = 1e4,
  WIDE = 1e5;

export interface Colours {
  text: string;
  grid: string;
  step: string;
  train: string;
  val: string;
  font: string;
}

export interface Line {
  key: string;
  label: string;
  x: number[];
  y: Column;
  stroke: string;
  width: number;
  dash?: number[];
  points?: number;
  /** False for a line that is too restless to read a value off. */
  read: boolean;
}

export type Zoom = [number, number] | null;
export interface Frame {
  width: number;
  colours: Colours;
  zoom: Zoom;
  unit: string;
  aims: Aims;
}

function series(line: Line): uPlot.Series {
  const { stroke, width, dash } = line;
  const points = line.points ? { show: true, size: line.points, fill: stroke } : { show: false };
  return { stroke, width, points, spanGaps: true, ...(dash ? { dash } : {}) };
}

function axis(colours: Colours, extra: Partial<uPlot.Axis>): uPlot.Axis {
  const line = { stroke: colours.grid, width: 1 };
  return { stroke: colours.text, font: `12px ${colours.font}`, grid: line, ticks: { ...line, size: 4 }, ...extra };
}

/** As wide as the longest label, so that none is cut: "-0.00012" is wider than "1.5". */
const labelWidth =
  (font: string) =>
  (chart: uPlot, values: string[] | null): number => {
    chart.ctx.font = `12px ${font}`;
    const longest = Math.max(0, ...(values ?? []).map((text) => chart.ctx.measureText(text).width));
    return Math.min(Math.max(LABELS, Math.ceil(longest) + 12), MOST_LABELS * chart.width);
  };

/** uPlot wants one shared x: join the lines, leaving undefined where a line has no point. */
export const table = (lines: Line[]): uPlot.AlignedData =>
  lines.length ? uPlot.join(lines.map(({ x, y }) => [x, y] as uPlot.AlignedData)) : [[]];

/** A logarithmic axis has no place for 0 and less. */
export const positive = ([x, ...columns]: uPlot.AlignedData): uPlot.AlignedData => [
  x,
  ...columns.map((column) =>
    Array.from(column, (value) => (value !== undefined && value !== null && value <= 0 ? null : value)),
  ),
];

/** Whether a value is so huge that a linear axis would show it alone. */
export function hasExploded([, ...columns]: uPlot.AlignedData): boolean {
  let low = Infinity,
    high = 0;
  for (const column of columns)
    for (const value of Array.from(column)) {
      if (value === undefined || value === null) continue;
      if (value <= 0) return false;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  return high > HUGE && high > WIDE * low;
}

export class Plot {
  readonly element = document.createElement("figure");
  private readonly head = document.createElement("figcaption");
  private readonly area = document.createElement("div");
  private readonly at = document.createElement("span");
  private readings: HTMLElement[] = [];
  private chart: uPlot | undefined;
  private lines: Line[] = [];
  private values: uPlot.AlignedData = [[]]; // also those that a logarithmic axis cannot show
  private frame: Frame | undefined;
  private built = "";
  private chosen: boolean | null = null; // a logarithmic axis or not; until then the values decide

  constructor(
    private readonly name: string,
    private readonly onZoom: (zoom: Zoom) => void,
    private readonly group: string,
    private readonly onPoint: (x: number | null) => void = () => undefined,
  ) {
    this.element.dataset.testid = `curve-${name}`;
    this.area.setAttribute("role", "img");
    this.at.className = "at";
    this.element.append(this.head, this.area);
  }

  /** Draws the lines; the chart is rebuilt only when other lines or colours arrive. */
  draw(lines: Line[], frame: Frame): void {
    const looks = lines.map(({ key, label, stroke, width, dash, points }) => [key, label, stroke, width, dash, points]);
    this.lines = lines;
    this.frame = frame;
    this.values = table(lines);
    const built = JSON.stringify([looks, frame.colours, frame.unit, frame.aims, this.logarithmic]);
    const data = this.logarithmic ? positive(this.values) : this.values;
    if (!this.chart || built !== this.built) this.build(data);
    else {
      if (this.chart.width !== frame.width) this.chart.setSize({ width: frame.width, height: heightFor(frame.width) });
      this.chart.setData(data);
    }
    this.built = built;
    this.read(null);
    this.element.dataset.points = String(data[0].length);
  }

  private get title(): string {
    return title(this.name, this.frame?.aims);
  }

  destroy(): void {
    this.chart?.destroy();
    this.element.remove();
  }

  private build(data: uPlot.AlignedData): void {
    this.chart?.destroy();
    this.caption();
    this.chart = new uPlot(this.options(this.frame!), data, this.area);
  }

  private options({ width, colours, unit }: Frame): uPlot.Options {
    const ticks = (_: uPlot, values: number[]): string[] => values.map((v) => tick(this.name, v));
    const range = (_: uPlot, _low: number, high: number): uPlot.Range.MinMax =>
      this.frame!.zoom ?? [0, Math.max(1, high)];
    const label = { label: unit, labelSize: 18, labelFont: `12px ${colours.font}` };
    return {
      width,
      height: heightFor(width),
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false },
        sync: { key: this.group, setSeries: false },
        bind: {
          dblclick: () => () => {
            this.onZoom(null);
            return null;
          },
        },
      },
      scales: { x: { time: false, range }, y: { distr: this.logarithmic ? 3 : 1 } },
      axes: [
        axis(colours, { ...label, size: 32, space: 36, ...(unit === "minute" ? {} : { incrs: WHOLE }) }),
        axis(colours, {
          size: labelWidth(colours.font),
          values: ticks,
          incrs: ANY,
          ...(this.logarithmic ? POWERS : {}),
        }),
      ],
      series: [{}, ...this.lines.map(series)],
      hooks: { setSelect: [(chart) => this.selected(chart)], setCursor: [(chart) => this.point(chart)] },
    };
  }

  private point(chart: uPlot): void {
    const { idx, left, event } = chart.cursor;
    this.read(idx ?? null);
    if (event) this.onPoint(left === undefined || left < 0 ? null : chart.posToVal(left, "x")); // not of the other charts
  }

  private selected(chart: uPlot): void {
    const { left, width } = chart.select;
    if (width < 3) return;
    const zoom: Zoom = [chart.posToVal(left, "x"), chart.posToVal(left + width, "x")];
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.onZoom(zoom);
  }

  private caption(): void {
    const name = document.createElement("strong");
    name.textContent = this.title;
    this.readings = [];
    const keys = document.createElement("div");
    keys.className = "keys";
    const wide = (this.frame?.width ?? 0) >= ROOM_FOR_ALL;
    keys.append(...this.lines.filter((line) => line.read || (wide && line.label)).map((line) => this.key(line)));
    const log = isLogarithmic(this.name) ? [this.logButton()] : [];
    this.head.replaceChildren(name, this.at, ...log, keys);
  }

  private key(line: Line): HTMLElement {
    const item = document.createElement("span");
    item.className = "key";
    item.title = ABOUT[line.key] ?? "";
    item.append(swatch(line.stroke, line.width, line.dash), line.label ? `${line.label} ` : "");
    if (line.read) {
      const value = document.createElement("b");
      this.readings[this.lines.indexOf(line)] = value;
      item.append(value);
    }
    return item;
  }

  private logButton(): HTMLButtonElement {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "log";
    button.title = `Show ${this.title.charAt(0).toLowerCase()}${this.title.slice(1)} on a logarithmic axis`;
    button.setAttribute("aria-label", `log: ${button.title}`);
    button.setAttribute("aria-pressed", String(this.logarithmic));
    button.addEventListener("click", () => {
      this.chosen = !this.logarithmic;
      this.draw(this.lines, this.frame!);
      this.head.querySelector("button")?.focus();
    });
    return button;
  }

  private get logarithmic(): boolean {
    return this.chosen ?? (isLogarithmic(this.name) && hasExploded(this.values));
  }

  /** What a logarithmic axis leaves out, in words. */
  private left(): string {
    const some =
      this.logarithmic && this.values.slice(1).some((column) => Array.from(column).some((value) => (value ?? 1) <= 0));
    return some ? "values of 0 and below are not shown" : "";
  }

  /** Writes the values under the cursor, or the latest ones. */
  private read(index: number | null): void {
    const said: string[] = [];
    const x = index === null ? undefined : this.values[0][index];
    this.at.textContent = x === undefined ? this.left() : place(this.frame!.unit, x);
    this.readings.forEach((element, i) => {
      element.textContent = written(this.name, latest(this.values[i + 1] ?? [], index));
      said.push(`${this.lines[i]?.label ?? ""} ${element.textContent}`.trim());
    });
    if (index === null) this.area.setAttribute("aria-label", `${this.title}: ${said.join(", ")}`);
  }
}

/** The newest value at or before `index`, or of all. */
function latest(column: uPlot.AlignedData[number], index: number | null): number | null {
  for (let i = index ?? column.length - 1; i >= 0; i--) {
    const value = column[i];
    if (value !== null && value !== undefined) return value;
  }
  return null;
}
