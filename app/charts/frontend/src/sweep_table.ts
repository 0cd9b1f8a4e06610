/** The trials of a sweep as a table, best first: each can be chosen, stopped or taken by keyboard. */

import { objectivesOf, objectiveText, objectiveTitle, reached } from "./objectives";
import type { SweepAct, SweepView, Trial } from "./protocol";
import { piece } from "./tools";

const WORDS: Record<string, string> = {
  finished: "finished",
  pruned: "pruned",
  failed: "failed",
  unfinished: "not finished",
  waiting: "waits",
};

const REASON = 60; // letters of an error in a cell, whose title has all of it

export interface TableLook {
  view: SweepView;
  keys: string[];
  titles: Record<string, string>;
  chosen: number | null;
  passes: (index: number) => boolean;
}

export const written = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** How a trial stands, in words. */
export function outcome(trial: Trial): string {
  if (trial.phase) return trial.phase.split(",")[0]!;
  if (trial.live) return trial.epochs ? `epoch ${trial.epoch ?? 0} of ${trial.epochs}` : "trains";
  if (trial.as) return `same as trial ${trial.as}`;
  if (trial.state === "pruned" && trial.epoch)
    return `pruned at epoch ${trial.epoch}${trial.reason ? `: ${trial.reason}` : ""}`;
  const reason = trial.state === "failed" ? (trial.reason ?? "").trim().split("\n").pop()! : "";
  if (reason) return `failed: ${reason.length > REASON ? `${reason.slice(0, REASON - 1)}…` : reason}`;
  return WORDS[trial.state] ?? trial.state;
}

export class SweepTable {
  readonly element = piece("div", "sweep-table");
  private drawn = "";

  constructor(
    private readonly choose: (trial: number) => void,
    private readonly act: (what: SweepAct["what"], trial: number) => void,
  ) {
    this.element.tabIndex = 0; // it scrolls: keys must reach it
    this.element.setAttribute("role", "region");
    this.element.setAttribute("aria-label", "Trials");
  }

  /** Draws the rows anew where they say something else; the focus stays where it was. */
  draw(look: TableLook): void {
    const rows = look.view.trials.map((trial, i) => [
      trial.trial,
      trial.value,
      trial.values,
      outcome(trial),
      trial.live,
      trial.reason,
      look.passes(i),
    ]);
    const drawn = JSON.stringify([
      rows,
      look.keys,
      look.chosen,
      look.view.state,
      look.view.objectives,
      look.view.front,
    ]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const root = this.element.getRootNode() as ShadowRoot | Document;
    const focused = root.activeElement?.getAttribute("data-does");
    const table = document.createElement("table");
    table.append(this.head(look), this.body(look));
    this.element.replaceChildren(table);
    if (focused) this.element.querySelector<HTMLElement>(`[data-does="${focused}"]`)?.focus();
  }

  private head({ view, keys, titles }: TableLook): HTMLElement {
    const head = document.createElement("thead");
    const row = document.createElement("tr");
    for (const name of [
      "Trial",
      ...objectivesOf(view).map(objectiveTitle),
      ...keys.map((key) => titles[key] ?? key),
      "State",
      "",
    ]) {
      const cell = document.createElement(name ? "th" : "td");
      if (name) cell.setAttribute("scope", "col");
      cell.textContent = name;
      row.append(cell);
    }
    head.append(row);
    return head;
  }

  private body(look: TableLook): HTMLElement {
    const body = document.createElement("tbody");
    look.view.trials.forEach((trial, i) => body.append(this.row(trial, look, look.passes(i))));
    return body;
  }

  private row(trial: Trial, look: TableLook, passes: boolean): HTMLElement {
    const row = document.createElement("tr");
    row.className = `${passes ? "" : "out"} ${trial.trial === look.chosen ? "chosen" : ""}`.trim();
    const name = document.createElement("th");
    name.setAttribute("scope", "row");
    const pick = this.button(String(trial.trial), `choose-${trial.trial}`, `Show trial ${trial.trial}`, () =>
      this.choose(trial.trial),
    );
    pick.setAttribute("aria-pressed", String(trial.trial === look.chosen));
    name.append(pick);
    const texts = objectivesOf(look.view).map((each) => objectiveText(each, reached(look.view, trial, each)));
    const front = look.view.front?.includes(trial.trial) ? `${outcome(trial)}, on the front` : outcome(trial);
    texts.push(...look.keys.map((key) => written(trial.settings[key])), front);
    row.append(name, ...texts.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
    row.lastElementChild!.setAttribute("title", trial.reason ?? "");
    row.append(this.deed(trial));
    return row;
  }

  private deed(trial: Trial): HTMLElement {
    const cell = document.createElement("td");
    if (trial.live)
      cell.append(
        this.button("Stop", `stop-${trial.trial}`, `Stop trial ${trial.trial}`, () => this.act("stop", trial.trial)),
      );
    else if (trial.value !== null)
      cell.append(
        this.button("Apply", `take-${trial.trial}`, `Apply the settings of trial ${trial.trial}`, () =>
          this.act("take", trial.trial),
        ),
      );
    return cell;
  }

  private button(text: string, does: string, label: string, press: () => void): HTMLButtonElement {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.dataset.does = does;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", press);
    return button;
  }
}
