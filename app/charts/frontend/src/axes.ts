/** Parallel axes: a line per run through its settings and its results. */

import { runColour, runDash } from "./colours";
import type { Axis, CompareDown } from "./protocol";

const HEIGHT = 252;
const TOP = 56;
const NAME_PX = 7.2; // of a letter, roughly
const BOTTOM = 26;
const SIDE = 70;
const NEXT = 96; // the least from axis to axis: room for the numbers between
const WIDE_RATIO = 50; // from here on an axis of positive numbers is logarithmic
const SVG = "http://www.w3.org/2000/svg";

/** Where each run's value lies on an axis, from 0 at the bottom to 1; null where it has none. */
export function places({ values, powers }: Pick<Axis, "values" | "powers">): (number | null)[] {
  const numbers = values.filter((v): v is number => typeof v === "number");
  if (numbers.length === values.filter((v) => v !== null).length) {
    const low = Math.min(...numbers);
    const high = Math.max(...numbers);
    const on = low > 0 && (powers || high / low >= WIDE_RATIO) ? Math.log : (v: number) => v;
    const span = on(high) - on(low);
    return values.map((v) => (typeof v !== "number" ? null : span ? (on(v) - on(low)) / span : 0.5));
  }
  const words = [...new Set(values.filter((v) => v !== null).map(String))].sort();
  return values.map((v) =>
    v === null ? null : words.length > 1 ? words.indexOf(String(v)) / (words.length - 1) : 0.5,
  );
}

export function draw(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.textContent = text;
  return element;
}

const short = (text: string): string => (text.length > 16 ? `${text.slice(0, 15)}…` : text);

/** A name in one line, or in two where its neighbours leave no room. */
export function lines(name: string, room: number): string[] {
  const cut = name.search(/[. ]/);
  return cut > 0 && name.length * NAME_PX > room ? [name.slice(0, cut + 1).trim(), name.slice(cut + 1)] : [name];
}

/** Ticks: every distinct value, or only the ends where there are many. */
export function ticks(axis: Axis, at: (number | null)[]): [number, string][] {
  const found = new Map<string, number>();
  axis.values.forEach((value, i) => {
    if (value !== null && at[i] !== null) found.set(short(axis.texts[i] ?? ""), at[i]!);
  });
  const all = [...found].map(([text, place]): [number, string] => [place, text]).sort((a, b) => a[0] - b[0]);
  const apart = all.every(([place], i) => i === 0 || place - all[i - 1]![0] > 0.09);
  return apart || all.length < 3 ? all : [all[0]!, all[all.length - 1]!];
}

/** The drawing, or nothing where there is nothing to compare. */
export function parallel({ runs, axes }: CompareDown, width: number): Element[] {
  if (runs.length < 2 || axes.length < 2) return [];
  const left = Math.max(SIDE, 14 + NAME_PX * Math.max(...axes[0]!.texts.map((text) => short(text).length)));
  const step = Math.max(NEXT, (width - left - SIDE) / (axes.length - 1));
  const y = (place: number): number => HEIGHT - BOTTOM - place * (HEIGHT - TOP - BOTTOM);
  const at = axes.map(places);
  const svg = draw("svg", {
    width: left + SIDE + step * (axes.length - 1),
    height: HEIGHT,
    role: "img",
    class: "parallel",
  });
  svg.append(draw("title", {}, `Parallel axes of ${runs.length} runs: ${axes.map((axis) => axis.name).join(", ")}`));
  axes.forEach((axis, i) => {
    const x = left + i * step;
    svg.append(draw("line", { x1: x, x2: x, y1: y(0), y2: y(1), class: "axis" }));
    lines(axis.name, step).forEach((text, line) =>
      svg.append(draw("text", { x, y: 14 + 16 * line, "text-anchor": "middle", class: "name" }, text)),
    );
  });
  runs.forEach((run, r) => {
    const points = axes.flatMap((_, i) => (at[i]![r] === null ? [] : [`${left + i * step},${y(at[i]![r]!)}`]));
    const line = draw("polyline", {
      points: points.join(" "),
      stroke: runColour(r),
      fill: "none",
      "stroke-width": 2.5,
    });
    if (runDash(r)) line.setAttribute("stroke-dasharray", runDash(r)!.join(" "));
    line.append(draw("title", {}, run));
    svg.append(line);
  });
  axes.forEach((axis, i) => {
    for (const [place, text] of ticks(axis, at[i]!))
      svg.append(draw("text", { x: left + i * step - 7, y: y(place) - 6, "text-anchor": "end" }, text));
  });
  const heading = document.createElement("h3");
  heading.textContent = "From settings to results";
  return [heading, svg];
}
