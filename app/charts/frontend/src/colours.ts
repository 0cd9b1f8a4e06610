/** Colours of the theme, and of runs that lie over each other. */

import type { Colours } from "./plot";

export function readColours(host: HTMLElement): Colours {
  const style = getComputedStyle(host);
  const read = (name: string, otherwise: string): string => style.getPropertyValue(name).trim() || otherwise;
  return {
    text: read("--ll-quiet", "#6b6c7b"),
    grid: read("--st-border-color", "#e1e2eb"),
    step: read("--ll-step", "#c9cadb"),
    train: read("--ll-train", "#d9822b"),
    val: read("--ll-val", "#5b5bd6"),
    font: read("--st-font", "sans-serif"),
  };
}

/** Okabe and Ito's colours for all kinds of colour vision, without yellow; dashes tell them apart too. */
const RUNS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7a6ff0", "#8c6d46"];
const DASHES: (number[] | undefined)[] = [undefined, [8, 4], [2, 3], [10, 3, 2, 3]];

export const runColour = (index: number): string => RUNS[index % RUNS.length]!;
export const runDash = (index: number): number[] | undefined =>
  index < RUNS.length ? DASHES[index % DASHES.length] : DASHES[(index + 1) % DASHES.length];
