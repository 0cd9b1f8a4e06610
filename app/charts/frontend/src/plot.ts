/** One uPlot chart for one quantity. */

import uPlot from "uplot";
import type { Part, Quantity } from "./series";
import { quantity as written, tick, title } from "./words";

const WORDS: Record<Part, string> = { step: "each step", train: "training", val: "validation", value: "" };
const ORDER: Part[] = ["step", "train", "val", "value"];
const HEIGHT = 220;
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000];

export interface Colours {
  text: string;
  grid: string;
  step: string;
  train: string;
  val: string;
  font: string;
}

function stroke(part: Part, colours: Colours): Partial<uPlot.Series> {
  if (part === "step") return { stroke: colours.step, width: 1 };
  if (part === "train") return { stroke: colours.train, width: 2, dash: [5, 4], points: { show: true, size: 4, fill: colours.train } };
  return { stroke: colours.val, width: 2.5, points: { show: true, size: 5, fill: colours.val } };
}

function axis(colours: Colours, extra: Partial<uPlot.Axis>): uPlot.Axis {
  const line = { stroke: colours.grid, width: 1 };
  return { stroke: colours.text, font: `12px ${colours.font}`, grid: line, ticks: { ...line, size: 4 }, ...extra };
}

/** uPlot wants one shared x: join the curves, leaving undefined where a curve has no point. */
export function table(quantity: Quantity): { data: uPlot.AlignedData; parts: Part[] } {
  const parts = ORDER.filter((part) => quantity.curves.has(part));
  const tables = parts.map((part) => {
    const curve = quantity.curves.get(part)!;
    return [curve.x, curve.y] as uPlot.AlignedData;
  });
  return { data: tables.length ? uPlot.join(tables) : [[]], parts };
}

export class Plot {
  readonly element = document.createElement("figure");
  private readonly head = document.createElement("figcaption");
  private readonly area = document.createElement("div");
  private readonly readings = new Map<Part, HTMLElement>();
  private chart: uPlot | undefined;
  private parts = "";
  private logarithmic = false;
  private zoomed = false;

  constructor(private readonly name: string, private colours: Colours) {
    this.element.dataset.testid = `curve-${name}`;
    this.area.setAttribute("role", "img");
    this.element.append(this.head, this.area);
  }

  /** Draws the curves; the chart is rebuilt only when a new kind of curve or colours arrive. */
  draw(quantity: Quantity, width: number, colours: Colours): void {
    const { data, parts } = table(quantity);
    const changed = parts.join() !== this.parts || colours !== this.colours;
    this.colours = colours;
    if (!this.chart || changed) this.build(data, parts, width);
    else {
      this.chart.setData(data);
      if (this.chart.width !== width) this.chart.setSize({ width, height: HEIGHT });
    }
    this.read(null);
    this.element.dataset.points = String(data[0].length);
  }

  destroy(): void {
    this.chart?.destroy();
    this.element.remove();
  }

  private build(data: uPlot.AlignedData, parts: Part[], width: number): void {
    this.chart?.destroy();
    this.parts = parts.join();
    this.caption(parts);
    this.chart = new uPlot(this.options(parts, width), data, this.area);
  }

  private options(parts: Part[], width: number): uPlot.Options {
    const ticks = (_: uPlot, values: number[]): string[] => values.map((v) => tick(this.name, v));
    const fromStart = (_: uPlot, low: number, high: number): uPlot.Range.MinMax =>
      this.zoomed ? [low, high] : [0, Math.max(1, high)];
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: true, y: false } },
      scales: { x: { time: false, range: fromStart }, y: { distr: this.logarithmic ? 3 : 1 } },
      axes: [
        axis(this.colours, { label: "epoch", labelSize: 18, labelFont: `12px ${this.colours.font}`, size: 32, space: 36, incrs: WHOLE }),
        axis(this.colours, { size: 56, values: this.logarithmic ? undefined : ticks }),
      ],
      series: [{}, ...parts.map((part) => ({
        spanGaps: true, points: { show: false }, ...stroke(part, this.colours),
      }))],
      hooks: {
        setSelect: [(chart) => { this.zoomed = chart.select.width > 0; }],
        setCursor: [(chart) => this.read(chart.cursor.idx ?? null)],
      },
    };
  }

  private caption(parts: Part[]): void {
    const name = document.createElement("strong");
    name.textContent = title(this.name);
    this.readings.clear();
    const legend = parts.map((part) => {
      const item = document.createElement("span");
      const value = document.createElement("b");
      item.className = `key ${part}`;
      item.append(document.createElement("i"), WORDS[part] ? `${WORDS[part]} ` : "");
      if (part !== "step") item.append(value); // one step's loss is too restless to read
      this.readings.set(part, value);
      return item;
    });
    const keys = document.createElement("div");
    keys.className = "keys";
    keys.append(...legend);
    this.head.replaceChildren(name, ...(this.name === "loss" ? [this.logButton()] : []), keys);
  }

  private logButton(): HTMLButtonElement {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "log";
    button.title = "Show the loss on a logarithmic axis";
    button.setAttribute("aria-pressed", String(this.logarithmic));
    button.addEventListener("click", () => {
      this.logarithmic = !this.logarithmic;
      const { data, width } = this.chart!;
      this.build(data, this.parts.split(",") as Part[], width);
      this.read(null);
    });
    return button;
  }

  /** Writes the values under the cursor, or the latest ones. */
  private read(index: number | null): void {
    const said: string[] = [];
    [...this.readings].forEach(([part, element], i) => {
      const column = this.chart?.data[i + 1] ?? [];
      const upTo = index === null ? column : [...column].slice(0, index + 1);
      const value = [...upTo].findLast((item) => item !== null && item !== undefined) ?? null;
      element.textContent = written(this.name, value);
      said.push(`${WORDS[part]} ${element.textContent}`);
    });
    if (index === null) this.area.setAttribute("aria-label", `${title(this.name)}: ${said.join(", ")}`);
  }
}
