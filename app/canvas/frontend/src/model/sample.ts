/** One sample through the drawing: what Python tells of it, and how its values become pixels. */

import type { Picture, StepEvent } from "../protocol";

export type {
  Facts,
  Field,
  Hook,
  Looked,
  Own,
  Part,
  Picture,
  Plane,
  Probed,
  Samples,
  Score,
  StepEvent,
  Time,
  Wanted,
  Ways,
} from "../protocol";

export type Rgb = readonly [number, number, number];

/** Colours of a value: above zero, below it, and of what is no number. */
export interface Inks {
  plus: Rgb;
  minus: Rgb;
  none: Rgb;
}

export const LIGHT: Inks = { plus: [79, 79, 201], minus: [217, 119, 6], none: [198, 42, 47] };
export const DARK: Inks = { plus: [177, 169, 255], minus: [243, 185, 95], none: [255, 139, 142] };

const NO_NUMBER = 255,
  LEVELS = 254;

/** The bytes of a picture's maps. */
export function bytesOf(picture: Picture): Uint8Array {
  return Uint8Array.from(atob(picture.data ?? ""), (c) => c.charCodeAt(0));
}

/** The first maps beneath each other, or the three of a colour image as one, as RGBA: the stronger a value, the less of the card shows through. */
export function pixels(picture: Picture, bytes: Uint8Array, maps: number, inks: Inks): Uint8ClampedArray<ArrayBuffer> {
  const [of = 0, height = 0, width = 0] = picture.shape ?? [];
  const size = height * width,
    isColour = picture.kind === "image" && of === 3;
  const colours = coloursOf(picture, inks),
    found = new Uint32Array(size * maps);
  for (let i = 0; i < found.length; i++) found[i] = colours[bytes[i] ?? NO_NUMBER] ?? 0;
  const rgba = new Uint8ClampedArray(found.buffer);
  for (let i = 0; isColour && i < size; i++)
    for (let c = 1; c < 3; c++) rgba[4 * i + c] = grey(bytes[c * size + i] ?? 0);
  return rgba;
}

/** The colour of each of the 256 bytes, as RGBA in one number: far fewer than there are pixels. */
function coloursOf(picture: Picture, inks: Inks): Uint32Array {
  const rgba = new Uint8ClampedArray(4 * (NO_NUMBER + 1));
  const ink = (level: number, { 0: red, 1: green, 2: blue }: Rgb, share: number) => {
    rgba[4 * level] = red;
    rgba[4 * level + 1] = green;
    rgba[4 * level + 2] = blue;
    rgba[4 * level + 3] = 255 * share; // rounded, as the array has whole numbers
  };
  const { low = 0, high = 0 } = picture,
    most = Math.max(Math.abs(low), Math.abs(high)) || 1;
  for (let level = 0; level <= LEVELS; level++) {
    const value = low + (level / LEVELS) * (high - low),
      dull = grey(level);
    if (picture.kind === "image") ink(level, [dull, dull, dull], 1);
    else ink(level, value < 0 ? inks.minus : inks.plus, low < 0 ? Math.abs(value) / most : level / LEVELS);
  }
  ink(NO_NUMBER, picture.kind === "image" ? [0, 0, 0] : inks.none, 1);
  return new Uint32Array(rgba.buffer);
}

const grey = (level: number): number => (level === NO_NUMBER ? 0 : Math.round((level * 255) / LEVELS));

/** How many maps stand beside each other at about a height, in the room there is; one at least. */
export function tiles(
  picture: Picture,
  height: number,
  room: number,
  gap: number,
): { count: number; width: number; height: number } {
  const [maps = 1, rows = 1, columns = 1] = picture.shape ?? [];
  const width = Math.max(3, (height * columns) / rows);
  if (width > room) return { count: 1, width: room, height: Math.max(3, Math.min(height, (room * rows) / columns)) };
  const count = picture.kind === "image" ? 1 : Math.min(maps, Math.max(1, Math.round((room + gap) / (width + gap))));
  const share = Math.min(1, (room - gap * (count - 1)) / (count * width)); // a little smaller, and one more has room
  return { count, width: width * share, height: height * share };
}

const SMALL = 1e-3,
  LARGE = 1e5;

/** A number as short as it can be read. */
export function short(value: number | string | undefined): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  if (Number.isInteger(value) && Math.abs(value) < LARGE) return String(value);
  const size = Math.abs(value);
  return size < SMALL || size >= LARGE ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

/** A share in whole percent; what is nearly all or nothing is not rounded to it. */
export function percent(share: number): string {
  const whole = Math.round(100 * share);
  if (whole === 100 && share < 1) return "> 99 %";
  if (whole === 0 && share > 0) return "< 1 %";
  return `${whole} %`;
}

/** What a picture shows, for those who do not see it. */
export function spoken(picture: Picture): string {
  const { kind, values = [], low, high, of = 1 } = picture;
  if (kind === "words") return picture.text ?? "";
  if (kind === "number") return values.map(short).join(", ");
  if (kind === "bars") return `${values.length} values: ${values.slice(0, 12).map(short).join(", ")}`;
  return `${of} ${of === 1 ? "map" : "maps"} from ${short(low)} to ${short(high)}${picture.bad ? ", some are not finite" : ""}`;
}

/** A wire by what it carries: the output of a node, by its path in the report. */
export interface Spot {
  path: string;
  port: string;
}

export const sameSpot = (a: Spot, b: Spot): boolean => a.path === b.path && a.port === b.port;

/** A path without the turns of repeated blocks: what a drawing shows once. */
export const withoutTurns = (path: string): string => path.replace(/\.\d+(?=\.|$)/g, "");

/** For each block, when it has run first, or the gradient came to it. */
export function firstRuns(
  events: readonly StepEvent[],
  kind: "forward" | "backward" = "forward",
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  events.forEach((event, i) => {
    const path = withoutTurns(event.path);
    if (event.kind === kind && !found.has(path)) found.set(path, i);
  });
  return found;
}

/** Whether a block has its value where a step stands; without a step all have. */
export function hasRun(steps: { first: ReadonlyMap<string, number>; at: number } | null, path: string): boolean {
  return !steps || (steps.first.get(withoutTurns(path)) ?? 0) <= steps.at;
}

const depth = (event: StepEvent): number => event.path.split(".").length;

/** The next event for "over" (not into composites), "into" (each one) and "out" (of this composite). */
export function nextEvent(events: readonly StepEvent[], at: number, how: "over" | "into" | "out"): number {
  const now = events[at];
  if (!now) return 0;
  const most = how === "out" ? depth(now) - 1 : depth(now);
  const next = events.findIndex((e, i) => i > at && (how === "into" || e.kind !== now.kind || depth(e) <= most));
  return next < 0 ? events.length - 1 : next;
}
