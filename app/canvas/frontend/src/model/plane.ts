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

/** One unit, or the answer, as RGBA: sign or class by colour, the stronger the less of the card shows through. */
export function planePixels(picture: Picture, unit: number, inks: Inks): Uint8ClampedArray<ArrayBuffer> {
  const [, rows = 0, columns = 0] = picture.shape ?? [];
  const size = rows * columns,
    found = new Uint8ClampedArray(4 * size),
    bytes = bytesOf(picture);
  const shares = picture.kind === "classes" ? sharesOf(picture) : bytes;
  const even = 1 / (picture.names?.length ?? 2);
  for (let i = 0; i < size; i++) {
    const level = bytes[unit * size + i] ?? NO_NUMBER;
    if (picture.kind === "classes") {
      const sure = ((shares[level * size + i] ?? 0) / LEVELS - even) / (1 - even);
      found.set([...hue(level), 255 * (PALE + (SURE - PALE) * Math.min(1, Math.max(0, sure)))], 4 * i);
    } else found.set(inked(level, picture, inks), 4 * i);
  }
  return found;
}

function inked(level: number, { low = 0, high = 0 }: Picture, { plus, minus, none }: Inks): number[] {
  if (level === NO_NUMBER) return [...none, 255];
  if (low >= 0) return [...plus, (255 * STRONG * level) / LEVELS];
  const value = numberOf(level, low, high),
    most = Math.max(-low, high);
  return [...(value < 0 ? minus : plus), 255 * STRONG * (Math.abs(value) / most)];
}

const numberOf = (level: number, low: number, high: number): number => low + (level / LEVELS) * (high - low);

/** Segments between cells where the class changes, or where a unit goes from above 0 to what is not: [x1, y1, x2, y2] in cells. */
export function edges(picture: Picture, unit: number): [number, number, number, number][] {
  const [, rows = 0, columns = 0] = picture.shape ?? [];
  const bytes = bytesOf(picture),
    { low = 0, high = 0 } = picture,
    zero = high > low ? (-low / (high - low)) * LEVELS : 0;
  const side = (row: number, column: number): number => {
    const level = bytes[(unit * rows + row) * columns + column] ?? 0;
    return picture.kind === "classes" ? level : Number(level > zero + 0.5);
  };
  const found: [number, number, number, number][] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (column + 1 < columns && side(row, column) !== side(row, column + 1))
        found.push([column + 1, row, column + 1, row + 1]);
      if (row + 1 < rows && side(row, column) !== side(row + 1, column))
        found.push([column, row + 1, column + 1, row + 1]);
    }
  }
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
