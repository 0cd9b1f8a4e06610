/** The live view of one run: state, progress with the time left, and a chart per quantity. */

import { readColours } from "./colours";
import { Plot, type Line, type Zoom } from "./plot";
import { Poller } from "./poller";
import {
  isOver,
  type Aims,
  type Chunk,
  type Column,
  type Down,
  type Mountable,
  type RunDown,
  type RunState,
  type View,
} from "./protocol";
import { Series, type Curve, type Part } from "./series";
import { smooth } from "./smooth";
import { piece, Tools, warn } from "./tools";
import { beginning, progressLine, share, stateWord } from "./words";

const TELL_AGAIN_MS = 3000;
const LOOK_AGAIN_MS = 250;
const REST_MS = 200;
const ASIDE = ["lr", "grad_norm", "samples_per_s"];
const BESIDE_PX = 680; // from which on two charts stand beside each other
const THREE_PX = 1300;
const ORDER: Part[] = ["step", "calm", "train", "val", "value"];
const WORDS: Record<Part, string> = {
  step: "each step",
  calm: "each step, smoothed",
  train: "training",
  val: "validation",
  value: "",
};
const DOTS = 60; // as many epochs have a dot each

/**
 * What is drawn at once, and what for whoever asks: the loss, what the run is judged by, and as many
 * more as stand beside those; what is learned comes right below.
 */
export function inOrder(names: string[], judged: string, columns: number): { main: string[]; aside: string[] } {
  const first = ["loss", judged, "accuracy"];
  const place = (name: string): number => first.indexOf(name) + 1 || first.length + 1;
  const sorted = [...names].sort((a, b) => place(a) - place(b));
  const most = Math.max(2, columns);
  const main = sorted.filter((name) => !ASIDE.includes(name)).slice(0, most);
  return { main, aside: sorted.filter((name) => !main.includes(name)) };
}

export class Panel implements Mountable {
  private readonly state = piece("span", "run-state");
  private readonly line = piece("span", "run-line");
  private readonly bar = piece("div", "run-bar");
  private readonly fill = document.createElement("div");
  private readonly note = piece("p", "run-note");
  private readonly warnings = piece("ul", "run-warnings");
  private readonly charts = piece("div", "run-charts");
  private readonly more = document.createElement("button");
  private readonly further = piece("div", "run-more");
  private readonly aside = piece("div", "run-charts");
  private readonly tools = new Tools(
    () => this.drawCharts(),
    () => this.look(null),
  );
  private readonly series = new Series();
  private readonly plots = new Map<string, Plot>();
  private readonly poller: Poller;
  private readonly size: ResizeObserver;
  private zoom: Zoom = null;
  private close: { step: Curve; calm: Curve } | null = null; // every step of what is looked at closely
  private perEpoch = 1;
  private aims: Aims = {};
  private now: RunState | undefined;
  private told: RunState | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  private closer: ReturnType<typeof setTimeout> | undefined;
  private pointer: ReturnType<typeof setTimeout> | undefined;
  private pointed = 0;

  constructor(
    private readonly host: HTMLElement,
    private down: RunDown,
    private readonly tell: (state: RunState) => void,
    private readonly tellEpoch: (epoch: number) => void,
  ) {
    this.state.textContent = stateWord(down.state);
    this.state.dataset.state = down.state;
    this.bar.setAttribute("role", "progressbar");
    this.bar.setAttribute("aria-label", "Progress of the training");
    this.bar.append(this.fill);
    const top = piece("div", "run-top");
    top.append(this.state, this.line);
    this.more.type = "button";
    this.more.textContent = "More curves";
    this.more.title = "Other metrics, learning rate, gradients, speed; smoothing";
    this.more.setAttribute("aria-expanded", "false");
    this.more.addEventListener("click", () => this.open(this.further.hidden !== false));
    top.append(this.more);
    this.further.append(this.tools.element, this.aside);
    this.further.hidden = this.more.hidden = true;
    this.warnings.setAttribute("aria-label", "Warnings of the run");
    this.warnings.hidden = true;
    host.append(top, this.bar, this.note, this.warnings, this.charts, this.further);
    this.size = new ResizeObserver(() => this.drawCharts());
    this.size.observe(host);
    this.poller = new Poller(
      down.run,
      down.token,
      (chunk) => this.take(chunk),
      (text) => this.trouble(text),
    );
  }

  fits(down: Down): boolean {
    return "run" in down && down.run === this.down.run;
  }

  update(down: Down): void {
    const changed = (down as RunDown).state !== this.down.state;
    this.down = down as RunDown;
    this.poller.token = this.down.token;
    this.drawCharts();
    if (changed && !isOver(this.down.state)) this.poller.wake(); // resumed
  }

  destroy(): void {
    this.poller.stop();
    clearTimeout(this.again);
    clearTimeout(this.closer);
    clearTimeout(this.pointer);
    this.size.disconnect();
    this.plots.forEach((plot) => plot.destroy());
    this.host.replaceChildren();
  }

  /** Shows or hides the other curves and the tools. */
  private open(open: boolean): void {
    this.further.hidden = !open;
    this.more.setAttribute("aria-expanded", String(open));
    this.drawCharts();
  }

  private take({ view, records, reset }: Chunk): void {
    if (reset) this.series.clear();
    this.perEpoch = view.epochs > 0 && view.steps > 0 ? view.steps / view.epochs : 1;
    this.aims = view.aims ?? {};
    this.series.add(records, this.perEpoch);
    const { step, epoch } = this.series.newest;
    this.drawTop({ ...view, step: Math.max(view.step, step), epoch: Math.max(view.epoch, epoch) });
    warn(this.warnings, view.warnings ?? []);
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
    this.state.textContent = view.state === "queued" && view.message ? "Waiting" : stateWord(view.state);
    this.state.dataset.state = view.state;
    this.line.textContent = progressLine(view);
    this.bar.setAttribute("aria-valuenow", String(done));
    this.bar.dataset.state = view.state;
    this.fill.style.width = `${done}%`;
    this.note.textContent = beginning(view);
    this.note.hidden = !this.note.textContent;
  }

  /** Looks at a part of all charts, or at everything again. */
  private look(zoom: Zoom): void {
    this.zoom = zoom;
    this.close = null;
    this.tools.zoomed = zoom !== null;
    if (zoom)
      this.open(true); // the way back is there
    else this.drawCharts();
    clearTimeout(this.closer);
    if (zoom) this.closer = setTimeout(() => void this.lookCloser(zoom), LOOK_AGAIN_MS);
  }

  private async lookCloser(zoom: [number, number]): Promise<void> {
    const [low, high] = zoom.map((epoch) => Math.max(0, Math.floor(epoch * this.perEpoch))) as [number, number];
    const found = await this.poller.steps(low, high + 1).catch(() => null); // the thinned curve stays
    if (!found?.step?.length || this.zoom !== zoom) return;
    const x = found.step.map((step) => (step ?? 0) / this.perEpoch);
    const y = found.loss ?? [];
    this.close = { step: { x, y }, calm: { x, y: found.loss_mean ?? y } };
    this.drawCharts();
  }

  private drawCharts(): void {
    const { main, aside } = inOrder([...this.series.quantities.keys()], this.down.main, this.columns);
    this.more.hidden = !main.length && !aside.length;
    this.drawInto(this.charts, main);
    if (!this.further.hidden) this.drawInto(this.aside, aside);
  }

  private get columns(): number {
    const width = this.host.clientWidth;
    return width > THREE_PX ? 3 : width > BESIDE_PX ? 2 : 1;
  }

  private drawInto(place: HTMLElement, names: string[]): void {
    const columns = Math.min(this.columns, Math.max(1, names.length));
    place.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    const width = Math.floor((this.host.clientWidth - (columns - 1) * 24) / columns);
    if (width < 50) return; // not laid out yet; the observer calls again
    const frame = { width, colours: readColours(this.host), zoom: this.zoom, unit: "epoch", aims: this.aims };
    for (const name of names) {
      const plot = this.plots.get(name) ?? this.plot(name);
      if (plot.element.parentElement !== place) place.append(plot.element);
      this.plots.set(name, plot);
      plot.draw(this.lines(name, frame.colours), frame);
    }
  }

  private plot(name: string): Plot {
    return new Plot(
      name,
      (zoom) => this.look(zoom),
      this.down.run,
      (x) => this.point(x),
    );
  }

  /** Says which epoch somebody points at, once the pointer rests there. */
  private point(x: number | null): void {
    clearTimeout(this.pointer);
    const epoch = x === null ? 0 : Math.round(x);
    if (epoch < 1 || epoch === this.pointed) return;
    this.pointer = setTimeout(() => {
      this.pointed = epoch;
      this.tellEpoch(epoch);
    }, REST_MS);
  }

  private lines(name: string, colours: ReturnType<typeof readColours>): Line[] {
    const curves = this.series.quantities.get(name)!.curves;
    const lines: Line[] = [];
    for (const part of ORDER) {
      const whole = curves.get(part);
      const near = part === "step" || part === "calm" ? this.close?.[part] : null;
      const curve = whole && (near ?? whole);
      if (curve) lines.push(...this.partLines(part, curve, colours));
    }
    return lines;
  }

  private partLines(part: Part, { x, y }: Curve, colours: ReturnType<typeof readColours>): Line[] {
    const line = (key: string, values: Column, extra: Partial<Line>): Line => ({
      key,
      label: WORDS[part],
      x,
      y: values,
      stroke: colours.val,
      width: 2.5,
      read: true,
      ...extra,
    });
    const dots = x.length < DOTS ? 5 : 0;
    if (part === "train")
      return [line("train", y, { stroke: colours.train, width: 2, dash: [5, 4], points: dots && 4 })];
    if (part !== "step" && part !== "calm") return [line(part, y, { points: dots })];
    if (part === "step") return [line("step", y, { stroke: colours.step, width: 1, read: false })];
    if (!this.tools.smoothing) return [];
    return [line("smooth", smooth(y, this.tools.smoothing), { stroke: colours.text, width: 1.5 })];
  }
}
