/** The plane that samples of two numbers lie in: what Python tells of it, and how it becomes pixels and lines. */

import { bytesOf as read, type Inks, type Picture, type Plane, type Rgb, short } from "./sample";

/** Colours of classes, as on the pages. */
export const HUES: readonly Rgb[] = [
  [104, 100, 217],
  [207, 113, 31],
  [37, 148, 103],
  [212, 71, 127],
  [36, 137, 194],
  [156, 125, 23],
];
const LEVELS = 254,
  NO_NUMBER = 255;
/** Between units beside each other on a card, as in plane.css. */
const TILE_GAP = 5;
/** How much of the card is covered: by an answer that is no better than a guess, by one that is sure (samples stand out on it), by a unit at its largest. */
const PALE = 0.14,
  SURE = 0.55,
  STRONG = 0.82;

const known = new WeakMap<Picture, Uint8Array>();

/** The bytes of a picture, read once for all its units. */
function bytesOf(picture: Picture): Uint8Array {
  let found = known.get(picture);
  if (!found) known.set(picture, (found = read(picture)));
  return found;
}

const sharesOf = (picture: Picture): Uint8Array => read({ kind: "classes", data: picture.shares });

export const hue = (kind: number): Rgb => HUES[kind % HUES.length] as Rgb;

export const isOfPlane = (picture: Picture): boolean =>
  picture.kind === "units" || picture.kind === "classes" || picture.kind === "surface";

/** Numbers over the grid, row by row; NaN for what is none. */
interface Field {
  rows: number;
  columns: number;
  at: Float32Array;
}

const unitFields = new WeakMap<Picture, Map<number, Field>>();

/** The levels of a unit, or the share of a class, in whole steps from 0 to 254. */
function fieldOf(picture: Picture, k: number): Field {
  let fields = unitFields.get(picture);
  if (!fields) unitFields.set(picture, (fields = new Map()));
  const known = fields.get(k);
  if (known) return known;
  const [, rows = 0, columns = 0] = picture.shape ?? [],
    size = rows * columns;
  const bytes = picture.kind === "classes" ? sharesOf(picture) : bytesOf(picture);
  const at = Float32Array.from({ length: size }, (_, i) => {
    const level = bytes[k * size + i] ?? NO_NUMBER;
    return level === NO_NUMBER ? Number.NaN : level;
  });
  const field = { rows, columns, at };
  fields.set(k, field);
  return field;
}

/** Between the middles of cells in proportion, at a place in cells; beyond the outermost middles as there. */
function between({ rows, columns, at }: Field, x: number, y: number): number {
  const column = Math.min(columns - 1, Math.max(0, x - 0.5)),
    row = Math.min(rows - 1, Math.max(0, y - 0.5));
  const left = Math.floor(column),
    top = Math.floor(row);
  const right = Math.min(columns - 1, left + 1),
    below = Math.min(rows - 1, top + 1);
  const read = (r: number, c: number) => at[r * columns + c] as number;
  const u = column - left,
    v = row - top;
  return (
    (1 - v) * ((1 - u) * read(top, left) + u * read(top, right)) +
    v * ((1 - u) * read(below, left) + u * read(below, right))
  );
}

const classesOf = (picture: Picture): Field[] => (picture.names ?? []).map((_, k) => fieldOf(picture, k));

/**
 * One unit, or the answer, as RGBA: sign or class by colour, the stronger the less of the card shows through.
 * finer: pixels for each point of the grid and side; what lies between points is between their numbers.
 */
export function planePixels(picture: Picture, unit: number, inks: Inks, finer = 1): Uint8ClampedArray<ArrayBuffer> {
  const [, rows = 0, columns = 0] = picture.shape ?? [];
  const high = rows * finer,
    wide = columns * finer,
    found = new Uint8ClampedArray(4 * high * wide);
  const shares = picture.kind === "classes" ? classesOf(picture) : [fieldOf(picture, unit)];
  for (let row = 0; row < high; row++) {
    for (let column = 0; column < wide; column++) {
      const x = (column + 0.5) / finer,
        y = (row + 0.5) / finer;
      const colour =
        picture.kind === "classes" ? ofClass(shares, x, y) : inked(between(shares[0] as Field, x, y), picture, inks);
      found.set(colour, 4 * (row * wide + column));
    }
  }
  return found;
}

/** The colour of the likeliest class, the stronger the surer. */
function ofClass(shares: readonly Field[], x: number, y: number): number[] {
  let best = 0,
    most = -1;
  shares.forEach((field, k) => {
    const share = between(field, x, y);
    if (share > most) [best, most] = [k, share];
  });
  const even = 1 / Math.max(2, shares.length);
  const sure = (most / LEVELS - even) / (1 - even);
  return [...hue(best), 255 * (PALE + (SURE - PALE) * Math.min(1, Math.max(0, sure)))];
}

function inked(level: number, { low = 0, high = 0 }: Picture, { plus, minus, none }: Inks): number[] {
  if (Number.isNaN(level)) return [...none, 255];
  if (low >= 0) return [...plus, (255 * STRONG * level) / LEVELS];
  const value = numberOf(level, low, high),
    most = Math.max(-low, high);
  return [...(value < 0 ? minus : plus), 255 * STRONG * (Math.abs(value) / most)];
}

const numberOf = (level: number, low: number, high: number): number => low + (level / LEVELS) * (high - low);

type Segment = [number, number, number, number];

/** Where the class changes, or a unit goes from above 0 to what is not: pieces of lines [x1, y1, x2, y2], in cells. */
export function edges(picture: Picture, unit: number): Segment[] {
  if (picture.kind !== "classes") {
    const { low = 0, high = 0 } = picture,
      zero = high > low ? (-low / (high - low)) * LEVELS : 0;
    const { at, ...size } = fieldOf(picture, unit);
    return contour({ ...size, at: at.map((level) => level - zero - 0.5) });
  }
  const shares = classesOf(picture);
  const apart = shares.length === 2 ? shares.slice(0, 1) : shares; // of two, one says where the other ends
  return apart.flatMap((field) => contour(ahead(field, shares)));
}

/** How far a class is ahead of the likeliest other. */
function ahead(field: Field, shares: readonly Field[]): Field {
  const others = shares.filter((other) => other !== field);
  return { ...field, at: field.at.map((share, i) => share - Math.max(...others.map(({ at }) => at[i] as number))) };
}

/** Where a field goes through 0, in each square between the middles of four cells. */
function contour({ rows, columns, at }: Field): Segment[] {
  const found: Segment[] = [];
  const xs = middles(columns),
    ys = middles(rows);
  const read = (i: number, j: number) =>
    at[Math.min(rows - 1, Math.max(0, j - 1)) * columns + Math.min(columns - 1, Math.max(0, i - 1))] as number;
  for (let j = 0; j + 1 < ys.length; j++) {
    for (let i = 0; i + 1 < xs.length; i++) {
      const corners = [read(i, j), read(i + 1, j), read(i + 1, j + 1), read(i, j + 1)] as const;
      const above = corners.filter((value) => value > 0).length;
      if (above === 0 || above === 4 || corners.some(Number.isNaN)) continue;
      found.push(...inSquare(corners, [xs[i] as number, xs[i + 1] as number], [ys[j] as number, ys[j + 1] as number]));
    }
  }
  return found;
}

/** The middles of cells in a row, and its ends. */
const middles = (count: number): number[] => [0, ...Array.from({ length: count }, (_, i) => i + 0.5), count];

/** corners: values at the upper left, and on clockwise. */
function inSquare(corners: readonly number[], [x1, x2]: [number, number], [y1, y2]: [number, number]): Segment[] {
  const places = [
    [x1, y1],
    [x2, y1],
    [x2, y2],
    [x1, y2],
  ] as const;
  const crossings = places.flatMap(([x, y], k): [number, number][] => {
    const a = corners[k] as number,
      b = corners[(k + 1) % 4] as number,
      [x3, y3] = places[(k + 1) % 4] as readonly [number, number];
    if (a > 0 === b > 0) return [];
    const t = a / (a - b);
    return [[x + (x3 - x) * t, y + (y3 - y) * t]];
  });
  const found: Segment[] = [];
  for (let k = 0; k + 1 < crossings.length; k += 2)
    found.push([...(crossings[k] as [number, number]), ...(crossings[k + 1] as [number, number])]);
  return found;
}

/** What the network answers at a place of the picture, from 0 to 1 to the right and down. */
export function readAt({ columns, across, up, region }: Plane, right: number, down: number): string {
  const x = across[0] + right * (across[1] - across[0]),
    y = up[1] - down * (up[1] - up[0]);
  const place = `${columns[0]} ${short(three(x))}, ${columns[1]} ${short(three(y))}`;
  if (!region) return place;
  const [, rows = 1, width = 1] = region.shape ?? [],
    size = rows * width;
  const cell = Math.min(rows - 1, Math.floor(down * rows)) * width + Math.min(width - 1, Math.floor(right * width));
  if (region.kind === "surface")
    return `${place}: ${short(three(numberOf(bytesOf(region)[cell] ?? 0, region.low ?? 0, region.high ?? 0)))}`;
  const shares = sharesOf(region);
  const told = (region.names ?? []).map(
    (name, k) => `${name} ${Math.round((100 * (shares[k * size + cell] ?? 0)) / LEVELS)} %`,
  );
  return `${place}: ${told.join(", ")}`;
}

const three = (value: number): number => Number(value.toPrecision(3));

/** What a picture of the plane shows, for those who do not see it. */
export function spokenPlane(picture: Picture, unit?: number): string {
  const { low, high } = picture.ends ?? picture;
  if (picture.kind === "classes") return `The predicted class over the plane: ${(picture.names ?? []).join(", ")}`;
  const ends = `from ${short(low)} to ${short(high)} over the plane`;
  if (picture.kind === "surface") return `The prediction ${ends}`;
  return unit === undefined ? `${picture.shape?.[0] ?? 0} of ${picture.of ?? 0} units ${ends}` : `Unit ${unit} ${ends}`;
}

/** How many of some units stand on a card, and how large: about as high as there is room, several as wide. */
export function tilesOf(units: number, width: number, height: number): { count: number; side: number } {
  const count = Math.min(units, Math.max(1, Math.round((width + TILE_GAP) / (height + TILE_GAP))));
  return { count, side: Math.floor(Math.min(height, (width - TILE_GAP * (count - 1)) / Math.max(1, count))) };
}

/** A mark for a class around (0, 0): circle, square, triangle, diamond, cross, triangle upside down. */
export function mark(kind: number, r: number): [number, number][] | null {
  const t = 1.25 * r,
    q = 0.85 * r,
    h = 0.4 * r;
  const shapes: ([number, number][] | null)[] = [
    null,
    [
      [-q, -q],
      [q, -q],
      [q, q],
      [-q, q],
    ],
    [
      [0, -t],
      [t, q],
      [-t, q],
    ],
    [
      [0, -t],
      [t, 0],
      [0, t],
      [-t, 0],
    ],
    [
      [-t, -t],
      [0, -h],
      [t, -t],
      [h, 0],
      [t, t],
      [0, h],
      [-t, t],
      [-h, 0],
    ],
    [
      [0, t],
      [t, -q],
      [-t, -q],
    ],
  ];
  return shapes[kind % shapes.length] ?? null;
}
