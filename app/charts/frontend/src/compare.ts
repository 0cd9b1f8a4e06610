/** Several runs over each other: a chart per quantity with a line per run, and parallel axes. */

import { parallel } from "./axes";
import { readColours, runColour, runDash } from "./colours";
import { Plot, type Line, type Zoom } from "./plot";
import { Poller } from "./poller";
import { isCompare, type Aims, type Chunk, type Column, type CompareDown, type Down, type Mountable } from "./protocol";
import { Rows } from "./rows";
import { smooth } from "./smooth";
import { choice, piece, swatch, Tools } from "./tools";
import { agreed } from "./words";

const UNITS = ["epoch", "step", "minute"];
const PARTS = ["validation", "training"];
const FIRST = ["loss", "accuracy"];

interface Followed {
  rows: Rows;
  poller: Poller;
  aims: Aims;
}

export class Compare implements Mountable {
  private readonly tools = new Tools(
    () => this.draw(),
    () => this.look(null),
  );
  private readonly charts = piece("div", "run-charts");
  private readonly axes = piece("div", "run-axes");
  private readonly note = piece("p", "run-note");
  private readonly plots = new Map<string, Plot>();
  private readonly runs = new Map<string, Followed>();
  private readonly size: ResizeObserver;
  private unit = "epoch";
  private part = "validation";
  private zoom: Zoom = null;

  constructor(
    private readonly host: HTMLElement,
    private down: CompareDown,
  ) {
    const unit = choice("Horizontal axis", UNITS, this.unit, (chosen) => {
      this.unit = chosen;
      this.look(null);
    });
    const part = choice("Part of the data", PARTS, this.part, (chosen) => {
      this.part = chosen;
      this.draw();
    });
    this.tools.element.prepend(part, unit);
    this.note.hidden = true;
    host.append(this.tools.element, this.note, this.charts, this.axes);
    this.size = new ResizeObserver(() => this.draw());
    this.size.observe(host);
    this.update(down);
  }

  fits(down: Down): boolean {
    return isCompare(down);
  }

  update(down: Down): void {
    this.down = down as CompareDown;
    for (const [name, { poller }] of this.runs) {
      poller.token = this.down.token;
      if (!this.down.runs.includes(name)) {
        poller.stop();
        this.runs.delete(name);
      }
    }
    for (const name of this.down.runs) if (!this.runs.has(name)) this.follow(name);
    this.draw();
  }

  destroy(): void {
    this.runs.forEach(({ poller }) => poller.stop());
    this.size.disconnect();
    this.plots.forEach((plot) => plot.destroy());
    this.host.replaceChildren();
  }

  private follow(name: string): void {
    const rows = new Rows();
    const aims: Aims = {};
    const take = ({ view, records, reset }: Chunk): void => {
      Object.assign(aims, view.aims);
      if (reset) rows.clear();
      rows.add(records);
      this.note.hidden = true;
      if (records.length || reset) this.draw();
    };
    const trouble = (text: string): void => {
      this.note.textContent = `The curves wait for the server. ${text}`;
      this.note.hidden = false;
    };
    this.runs.set(name, { rows, aims, poller: new Poller(name, this.down.token, take, trouble) });
  }

  private look(zoom: Zoom): void {
    this.zoom = zoom;
    this.tools.zoomed = zoom !== null;
    this.draw();
  }

  private draw(): void {
    const names = this.quantities();
    const columns = this.host.clientWidth > 680 && names.length > 1 ? 2 : 1;
    const width = Math.floor((this.host.clientWidth - (columns - 1) * 24) / columns);
    if (width < 50) return; // not laid out yet; the observer calls again
    this.charts.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    const aims = agreed([...this.runs.values()].map((run) => run.aims));
    const frame = { width, colours: readColours(this.host), zoom: this.zoom, unit: this.unit, aims };
    for (const [name, plot] of this.plots) if (!names.includes(name)) this.forget(name, plot);
    for (const name of names) {
      const plot = this.plots.get(name) ?? new Plot(name, (zoom) => this.look(zoom), "compare");
      if (!this.plots.has(name)) this.charts.append(plot.element);
      this.plots.set(name, plot);
      plot.draw(this.lines(name), frame);
    }
    const [heading, drawing] = parallel(this.down, this.host.clientWidth);
    this.axes.replaceChildren(...(heading && drawing ? [heading, this.legend(), drawing] : []));
  }

  private forget(name: string, plot: Plot): void {
    plot.destroy();
    this.plots.delete(name);
  }

  /** Quantities of which any run has this part. */
  private quantities(): string[] {
    const start = this.part === "training" ? "train_" : "val_";
    const found = new Set<string>();
    for (const { rows } of this.runs.values())
      for (const name of rows.names("epoch")) if (name.startsWith(start)) found.add(name.slice(start.length));
    return [...found].sort((a, b) => (FIRST.indexOf(a) + 1 || 9) - (FIRST.indexOf(b) + 1 || 9));
  }

  private lines(name: string): Line[] {
    const column = `${this.part === "training" ? "train" : "val"}_${name}`;
    return this.down.runs.flatMap((run, i) => {
      const rows = this.runs.get(run)?.rows;
      const x = rows ? this.horizontal(rows) : [];
      const y = rows?.column("epoch", column) ?? [];
      if (!x.length || !y.length) return [];
      return this.runLines(run, i, x, y);
    });
  }

  private runLines(run: string, index: number, x: number[], y: Column): Line[] {
    const line = { key: run, label: run, x, y, stroke: runColour(index), width: 2, dash: runDash(index), read: true };
    if (!this.tools.smoothing) return [{ ...line, points: x.length < 60 ? 4 : 0 }];
    const raw = { ...line, key: `${run} raw`, label: "", stroke: `${line.stroke}55`, width: 1, read: false };
    return [raw, { ...line, y: smooth(y, this.tools.smoothing) }];
  }

  private horizontal(rows: Rows): number[] {
    const name = { epoch: "epoch", step: "step", minute: "elapsed_s" }[this.unit]!;
    const scale = this.unit === "minute" ? 1 / 60 : 1;
    return rows.column("epoch", name).map((value) => (value ?? 0) * scale);
  }

  /** Which line is whose: also of runs that have no curve. */
  private legend(): HTMLElement {
    const legend = piece("div", "run-legend");
    legend.append(
      ...this.down.runs.map((run, i) => {
        const item = document.createElement("span");
        item.className = "key";
        item.append(swatch(runColour(i), 2.5, runDash(i)), run);
        return item;
      }),
    );
    return legend;
  }
}
