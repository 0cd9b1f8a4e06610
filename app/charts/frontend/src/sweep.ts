/** The live view of a sweep: how far it is, parallel axes, a curve per trial, the trials as a table. */

import { readColours } from "./colours";
import { Front } from "./front";
import { objectivesOf, objectiveText, objectiveTitle, reached } from "./objectives";
import { Plot, type Colours, type Line, type Zoom } from "./plot";
import { askRoute } from "./poller";
import {
  isSweep,
  type Down,
  type Mountable,
  type SweepAct,
  type SweepDown,
  type SweepState,
  type SweepView,
  type Trial,
} from "./protocol";
import { SweepAxes, type TrialAxis } from "./sweep_axes";
import { SweepTable, written } from "./sweep_table";
import { piece } from "./tools";
import { quantity, title } from "./words";

const EVERY_MS = 800;
const SLOWEST_MS = 8000;
const TELL_AGAIN_MS = 3000;
const BESIDE_PX = 1060; // from here on the table stands beside the pictures
const SAID: Record<SweepState, string> = {
  starting: "Starting",
  running: "Searching",
  stopping: "Stopping",
  stopped: "Stopped",
  finished: "Finished",
};
const LOOKS: Record<SweepState, string> = {
  starting: "queued",
  running: "running",
  stopping: "running",
  stopped: "stopped",
  finished: "finished",
};
type Tell = (name: string, value: unknown) => void;

/** Trials with a value, which come best first: from 1 for the best to 0 for the worst, by their number. With a front: 1 for what is on it. */
export function ranks(trials: Trial[], front: number[] = []): Map<number, number> {
  const valued = trials.filter((trial) => trial.value !== null);
  if (front.length) return new Map(valued.map((trial) => [trial.trial, front.includes(trial.trial) ? 1 : 0]));
  return new Map(valued.map((trial, i) => [trial.trial, valued.length > 1 ? 1 - i / (valued.length - 1) : 1]));
}

/** An axis per key that is searched, logarithmic where that is by powers of ten, and one per objective. */
export function axesOf(view: SweepView, keys: string[], titles: Record<string, string>, powers: string[]): TrialAxis[] {
  const plain = (value: unknown): number | string | null =>
    typeof value === "number" ? value : value === undefined ? null : written(value);
  const shown = (trial: Trial): boolean => trial.state !== "failed"; // an axis spans what has a line
  const settings = keys.map((name) => {
    const values = view.trials.map((trial) => (shown(trial) ? plain(trial.settings[name]) : null));
    const texts = values.map((value) => (value === null ? "" : String(value)));
    return { name, title: titles[name] ?? name, values, texts, powers: powers.includes(name) };
  });
  const results = objectivesOf(view).map((each) => {
    const values = view.trials.map((trial) => (shown(trial) ? reached(view, trial, each) : null));
    return {
      name: `=${each.name}`,
      title: objectiveTitle(each),
      values,
      texts: values.map((value) => objectiveText(each, value)),
    };
  });
  return [...settings, ...results];
}

/** "2 of 6 finished, 1 pruned, 3 failed", as the sentence above and the command say it. */
export function outcomeOf(view: SweepView, failed: number): string {
  const many = (state: string): number => view.trials.filter((trial) => trial.state === state).length;
  const pruned = many("pruned");
  return `${many("finished")} of ${view.total} finished${pruned ? `, ${pruned} pruned` : ""}, ${failed} failed`;
}

export class Sweep implements Mountable {
  private readonly state = piece("span", "run-state");
  private readonly line = piece("span", "run-line");
  private readonly bar = piece("div", "run-bar");
  private readonly fill = document.createElement("div");
  private readonly note = piece("p", "run-note");
  private readonly all = document.createElement("button");
  private readonly body = piece("div", "sweep-body");
  private readonly pictures = piece("div", "sweep-pictures");
  private readonly front = new Front(
    (trial) => this.act("canvas", trial),
    (trial) => this.choose(trial),
  );
  private readonly axes = new SweepAxes(
    () => this.draw(),
    (trial) => this.choose(trial),
  );
  private readonly table = new SweepTable(
    (trial) => this.choose(trial),
    (what, trial) => this.act(what, trial),
  );
  private readonly size: ResizeObserver;
  private plot: Plot | undefined;
  private zoom: Zoom = null;
  private view: SweepView | undefined;
  private keys: string[] = [];
  private powers: string[] = [];
  private chosen: number | null = null;
  private told: SweepState | undefined;
  private wait = EVERY_MS;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  private gone = false;

  constructor(
    private readonly host: HTMLElement,
    private down: SweepDown,
    private readonly tell: Tell,
  ) {
    this.bar.setAttribute("role", "progressbar");
    this.bar.setAttribute("aria-label", "Trials that have ended");
    this.bar.append(this.fill);
    this.note.hidden = true;
    this.all.type = "button";
    this.all.textContent = "Show all trials";
    this.all.addEventListener("click", () => this.axes.clear());
    const top = piece("div", "run-top");
    top.append(this.state, this.line, this.all);
    this.pictures.append(this.front.element, this.axes.element);
    this.body.append(this.pictures, this.table.element);
    host.append(top, this.bar, this.note, this.body);
    this.say(down.state);
    this.size = new ResizeObserver(() => this.draw());
    this.size.observe(host);
    document.addEventListener("visibilitychange", this.onVisible);
    void this.ask();
  }

  fits(down: Down): boolean {
    return isSweep(down) && down.sweep === this.down.sweep;
  }

  update(down: Down): void {
    const changed = (down as SweepDown).state !== this.down.state;
    this.down = down as SweepDown;
    this.draw();
    if (changed) this.wake();
  }

  destroy(): void {
    this.gone = true;
    clearTimeout(this.timer);
    clearTimeout(this.again);
    document.removeEventListener("visibilitychange", this.onVisible);
    this.size.disconnect();
    this.plot?.destroy();
    this.host.replaceChildren();
  }

  private readonly onVisible = (): void => {
    if (!document.hidden) this.wake();
  };

  private wake(): void {
    clearTimeout(this.timer);
    void this.ask();
  }

  private async ask(): Promise<void> {
    try {
      const answer = await askRoute(`sweeps/${encodeURIComponent(this.down.sweep)}`, this.down.token);
      if (this.gone) return;
      this.view = answer.sweep as SweepView;
      this.keys = [...new Set(answer.keys as string[])];
      this.powers = answer.powers as string[];
      this.wait = EVERY_MS;
      this.note.hidden = true;
      this.draw();
      this.tellPython(this.view.state);
    } catch (error) {
      if (this.gone) return;
      this.wait = Math.min(SLOWEST_MS, this.wait * 2);
      this.note.textContent = `The trials wait for the server. ${error instanceof Error ? error.message : String(error)}`;
      this.note.hidden = false;
    }
    clearTimeout(this.timer);
    const over = this.view && ["stopped", "finished"].includes(this.view.state) && this.note.hidden;
    if (!over && !document.hidden) this.timer = setTimeout(() => void this.ask(), this.wait);
  }

  /** Says the state, and whether there is a best trial, until Python has drawn it. */
  private tellPython(state: SweepState): void {
    if (this.told === state) return;
    clearTimeout(this.again);
    this.told = state;
    if (state === this.down.state) return;
    this.tell("state", state);
    this.again = setTimeout(() => {
      this.told = undefined;
      if (this.view) this.tellPython(this.view.state);
    }, TELL_AGAIN_MS);
  }

  private act(what: SweepAct["what"], trial: number): void {
    this.tell("act", { what, trial, id: crypto.randomUUID?.() ?? String(Math.random()) } satisfies SweepAct);
    if (what === "stop") this.wake();
  }

  private choose(trial: number): void {
    this.chosen = this.chosen === trial ? null : trial;
    this.draw();
  }

  private say(state: SweepState, failed = 0, all = false): void {
    this.state.textContent = state === "finished" && all ? "Failed" : (SAID[state] ?? state);
    const look = state === "finished" && failed ? (all ? "failed" : "partly") : LOOKS[state];
    this.state.dataset.state = this.bar.dataset.state = look ?? "stopped";
  }

  private get metric(): string {
    return title((this.view?.metric ?? "").replace(/^val_/, ""));
  }

  private draw(): void {
    const { view } = this;
    const width = this.host.clientWidth;
    if (!view || width < 50) return;
    const failed = view.trials.filter((trial) => trial.state === "failed").length;
    const all = failed > 0 && failed === view.trials.length;
    this.say(view.state, failed, all);
    this.axes.element.hidden = all; // a trial that failed has no line
    const ended = view.trials.filter((trial) => !["unfinished", "waiting"].includes(trial.state)).length;
    const front = view.front ?? [];
    const best = view.trials[0]?.value === undefined || view.trials[0].value === null ? null : view.trials[0];
    const over = ["stopped", "finished"].includes(view.state); // then the page says it, large
    const found =
      best && !over
        ? ` · best ${this.metric.toLowerCase()} ${quantity(view.metric.replace(/^val_/, ""), best.value)} in trial ${best.trial}`
        : "";
    const several = objectivesOf(view).length > 1;
    const done = failed ? outcomeOf(view, failed) : `${ended} of ${view.total} trials`;
    this.line.textContent = `${done}${several ? ` · ${front.length} on the front` : found}`;
    this.bar.setAttribute("aria-valuenow", String(Math.round((100 * ended) / Math.max(1, view.total))));
    this.fill.style.width = `${(100 * ended) / Math.max(1, view.total)}%`;
    this.body.dataset.beside = String(width > BESIDE_PX);
    this.body.hidden = view.trials.length === 0;
    this.axes.set(view.trials, axesOf(view, this.keys, this.down.titles, this.powers));
    this.all.hidden = !this.axes.brushed;
    const room = this.pictures.clientWidth || width;
    const colours = readColours(this.host);
    const strokes = this.strokes(view, colours);
    this.axes.draw({ width: room, chosen: this.chosen, stroke: strokes, best: best?.trial ?? null });
    this.drawCurves(view, room, colours, strokes, best?.trial ?? null);
    const passes = (index: number): boolean => this.axes.passes(index);
    this.front.draw({ view, width: room, chosen: this.chosen, titles: this.down.titles, passes });
    this.table.draw({ view, keys: this.keys, titles: this.down.titles, chosen: this.chosen, passes });
  }

  /** The better, the more of the accent; what trains has the colour of training. */
  private strokes(view: SweepView, colours: Colours): (trial: Trial) => string {
    const rank = ranks(view.trials, view.front);
    return (trial) => {
      if (trial.live) return colours.train;
      const at = rank.get(trial.trial);
      return at === undefined
        ? colours.step
        : `color-mix(in srgb, ${colours.val} ${Math.round(18 + 82 * at ** 2)}%, ${colours.step})`;
    };
  }

  private drawCurves(
    view: SweepView,
    width: number,
    colours: Colours,
    stroke: (trial: Trial) => string,
    best: number | null,
  ): void {
    const name = view.metric.replace(/^val_/, "");
    if (!view.trials.some((trial) => trial.curve.x.length)) return;
    if (!this.plot) {
      this.plot = new Plot(
        name,
        (zoom) => {
          this.zoom = zoom;
          this.draw();
        },
        `sweep-${view.name}`,
      );
      this.pictures.append(this.plot.element);
    }
    const lines: Line[] = view.trials.flatMap((trial, i) => {
      if (!trial.curve.x.length || !this.axes.passes(i)) return [];
      const strong = trial.trial === this.chosen || trial.trial === best;
      return [
        {
          key: String(trial.trial),
          label: strong ? `trial ${trial.trial}` : "",
          x: trial.curve.x,
          y: trial.curve.y,
          stroke: stroke(trial),
          width: trial.trial === this.chosen ? 3.5 : strong ? 2.5 : 1.5,
          points: trial.curve.x.length === 1 ? 5 : 0,
          read: strong,
        },
      ];
    });
    lines.sort((a, b) => a.width - b.width);
    this.plot.draw(lines, { width, colours, zoom: this.zoom, unit: "epoch", aims: {} });
  }
}
