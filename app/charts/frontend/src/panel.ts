/** The live view of one run: state, progress with the time left, and a chart per quantity. */

import { Plot, type Colours } from "./plot";
import { Poller } from "./poller";
import { isOver, type Chunk, type Down, type RunState, type View } from "./protocol";
import { Series } from "./series";
import { progressLine, share, stateWord } from "./words";

const TELL_AGAIN_MS = 3000;
const FIRST = ["loss", "accuracy"];

function piece(tag: string, name: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = name;
  element.dataset.testid = name;
  return element;
}

export class Panel {
  tell: (state: RunState) => void = () => {};
  private readonly state = piece("span", "run-state");
  private readonly line = piece("span", "run-line");
  private readonly bar = piece("div", "run-bar");
  private readonly fill = document.createElement("div");
  private readonly note = piece("p", "run-note");
  private readonly charts = piece("div", "run-charts");
  private readonly series = new Series();
  private readonly plots = new Map<string, Plot>();
  private readonly poller: Poller;
  private readonly size: ResizeObserver;
  private colours: Colours;
  private now: RunState | undefined;
  private told: RunState | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly host: HTMLElement, private down: Down) {
    this.colours = this.readColours();
    this.bar.setAttribute("role", "progressbar");
    this.bar.setAttribute("aria-label", "Progress of the training");
    this.bar.append(this.fill);
    const top = piece("div", "run-top");
    top.append(this.state, this.line);
    host.append(top, this.bar, this.note, this.charts);
    this.size = new ResizeObserver(() => this.drawCharts());
    this.size.observe(host);
    this.poller = new Poller(down.run, down.token, (chunk) => this.take(chunk), (text) => this.trouble(text));
  }

  get run(): string {
    return this.down.run;
  }

  /** New data or theme from Python. */
  update(down: Down): void {
    const changed = down.state !== this.down.state;
    this.down = down;
    this.poller.token = down.token;
    this.colours = this.readColours();
    this.drawCharts();
    if (changed && !isOver(down.state)) this.poller.wake(); // resumed
  }

  destroy(): void {
    this.poller.stop();
    clearTimeout(this.again);
    this.size.disconnect();
    this.plots.forEach((plot) => plot.destroy());
    this.host.replaceChildren();
  }

  private take({ view, records, reset }: Chunk): void {
    if (reset) this.series.clear();
    this.series.add(records, view.epochs > 0 ? view.steps / view.epochs : 1);
    this.drawTop(view);
    if (records.length || reset) this.drawCharts();
    this.now = view.state;
    if (this.now !== this.told) this.tellPython();
  }

  /** Says the state until Python has drawn it: a trigger can be lost on the way. */
  private tellPython(): void {
    clearTimeout(this.again);
    this.told = this.now;
    if (this.now === undefined || this.now === this.down.state) return;
    this.tell(this.now);
    this.again = setTimeout(() => this.tellPython(), TELL_AGAIN_MS);
  }

  private trouble(message: string): void {
    this.note.textContent = `The curves wait for the server. ${message}`;
    this.note.hidden = false;
  }

  private drawTop(view: View): void {
    const done = Math.round(100 * share(view));
    this.state.textContent = stateWord(view.state);
    this.state.dataset.state = view.state;
    this.line.textContent = progressLine(view);
    this.bar.setAttribute("aria-valuenow", String(done));
    this.bar.dataset.state = view.state;
    this.fill.style.width = `${done}%`;
    this.note.hidden = view.state !== "queued";
    this.note.textContent = "Starting the training process; the first curve appears in a few seconds.";
  }

  private drawCharts(): void {
    const names = [...this.series.quantities.keys()].filter((name) => this.worthDrawing(name));
    names.sort((a, b) => (FIRST.indexOf(a) + 1 || 9) - (FIRST.indexOf(b) + 1 || 9));
    const columns = this.host.clientWidth > 680 && names.length > 1 ? 2 : 1;
    this.charts.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    const width = Math.floor((this.host.clientWidth - (columns - 1) * 24) / columns);
    if (width < 50) return; // not laid out yet; the observer calls again
    for (const name of names) {
      const plot = this.plots.get(name) ?? new Plot(name, this.colours);
      if (!this.plots.has(name)) this.charts.append(plot.element);
      this.plots.set(name, plot);
      plot.draw(this.series.quantities.get(name)!, width, this.colours);
    }
  }

  /** A learning rate that never changes is no curve. */
  private worthDrawing(name: string): boolean {
    if (name !== "lr") return true;
    const values = this.series.quantities.get(name)?.curves.get("value")?.y ?? [];
    return new Set(values).size > 1;
  }

  private readColours(): Colours {
    const style = getComputedStyle(this.host);
    const read = (name: string, otherwise: string): string => style.getPropertyValue(name).trim() || otherwise;
    const next: Colours = {
      text: read("--ll-quiet", "#6b6c7b"),
      grid: read("--st-border-color", "#e1e2eb"),
      step: read("--ll-step", "#c9cadb"),
      train: read("--ll-train", "#d9822b"),
      val: read("--ll-val", "#5b5bd6"),
      font: read("--st-font", "sans-serif"),
    };
    const same = this.colours && JSON.stringify(next) === JSON.stringify(this.colours);
    return same ? this.colours : next;
  }
}
