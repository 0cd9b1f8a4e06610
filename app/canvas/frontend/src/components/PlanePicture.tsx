/** The plane as a picture: units beside each other on a card, or one large one with samples on top. */

import { useEffect, useRef } from "react";
import { edges, hue, mark, planePixels, spokenPlane, tilesOf } from "../model/plane";
import { DARK, type Inks, LIGHT, type Picture, type Plane, type Samples } from "../model/sample";

const SHARP = 2;
/** Pixels for each point of the grid in the large picture: its edges are as smooth as the line beside them. */
const FINER = 4;

interface TilesProps {
  picture: Picture;
  width: number;
  height: number;
}

/** The first units beside each other, as large as there is room for, each a square; an answer is one. */
export function PlaneTiles({ picture, width, height }: TilesProps) {
  const units = picture.kind === "units" ? (picture.shape?.[0] ?? 0) : 1;
  const { count, side } = tilesOf(units, width, height);
  return (
    <span className="plane-tiles" role="img" aria-label={spokenPlane(picture)}>
      {Array.from({ length: count }, (_, unit) => (
        <PlanePicture key={unit} picture={picture} unit={unit} size={side} />
      ))}
    </span>
  );
}

interface Props {
  picture: Picture;
  unit: number;
  size: number;
  /** Draws the samples on top. */
  plane?: Plane;
  label?: string;
}

export function PlanePicture({ picture, unit, size, plane, label }: Props) {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = ref.current,
      pen = canvas?.getContext("2d");
    if (!canvas || !pen) return;
    const dark = canvas.closest("[data-theme=dark]") !== null;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    paint(pen, picture, unit, canvas.width, dark ? DARK : LIGHT, plane ? FINER : 1);
    outline(pen, picture, unit, canvas.width, dark, plane !== undefined);
    if (plane) dots(pen, plane, plane.samples, canvas.width, dark);
  }, [picture, unit, size, plane]);
  const spoken = label ? { role: "img", "aria-label": label } : { "aria-hidden": true };
  return (
    <canvas
      ref={ref}
      className="plane-picture"
      width={size * SHARP}
      height={size * SHARP}
      style={plane ? undefined : { width: size, height: size }}
      {...spoken}
    />
  );
}

function paint(
  pen: CanvasRenderingContext2D,
  picture: Picture,
  unit: number,
  size: number,
  inks: Inks,
  finer: number,
): void {
  const [, rows = 0, columns = 0] = picture.shape ?? [];
  const whole = document.createElement("canvas"),
    inner = whole.getContext("2d");
  if (!rows || !columns || !inner) return;
  whole.width = columns * finer;
  whole.height = rows * finer;
  inner.putImageData(new ImageData(planePixels(picture, unit, inks, finer), whole.width, whole.height), 0, 0);
  pen.imageSmoothingEnabled = true;
  pen.imageSmoothingQuality = "high";
  pen.drawImage(whole, 0, 0, size, size);
}

/** Where the class changes, or a unit goes through 0. */
function outline(
  pen: CanvasRenderingContext2D,
  picture: Picture,
  unit: number,
  size: number,
  dark: boolean,
  large: boolean,
): void {
  if (picture.kind === "surface") return;
  const each = size / (picture.shape?.[2] ?? 1);
  pen.beginPath();
  for (const [x1, y1, x2, y2] of edges(picture, unit)) {
    pen.moveTo(x1 * each, y1 * each);
    pen.lineTo(x2 * each, y2 * each);
  }
  pen.strokeStyle = dark ? "rgb(255 255 255 / 85%)" : "rgb(20 22 40 / 80%)";
  pen.lineWidth = large ? size / 240 : 2;
  pen.lineCap = "round";
  pen.stroke();
}

/** Of a mark: the same part of the plane at every size. */
const RADIUS = 1 / 105;

function dots(
  pen: CanvasRenderingContext2D,
  { across, up }: Plane,
  samples: Samples,
  size: number,
  dark: boolean,
): void {
  const learned = samples.places.length - samples.validation,
    page = dark ? "#14151c" : "#fff",
    radius = RADIUS * size;
  samples.places.forEach(([x, y], i) => {
    const kind = samples.kinds[i],
      colour = kind === undefined ? (dark ? "#e8e8f0" : "#33354a") : `rgb(${hue(kind).join()})`;
    pen.save();
    pen.translate(((x - across[0]) / (across[1] - across[0])) * size, ((up[1] - y) / (up[1] - up[0])) * size);
    const corners = mark(kind ?? 0, radius);
    pen.beginPath();
    if (corners) corners.forEach(([a, b], k) => (k ? pen.lineTo(a, b) : pen.moveTo(a, b)));
    else pen.arc(0, 0, radius, 0, 2 * Math.PI);
    pen.closePath();
    const hollow = i >= learned;
    pen.fillStyle = hollow ? page : colour;
    pen.strokeStyle = hollow ? colour : page;
    pen.lineWidth = radius * (hollow ? 0.42 : 0.21);
    pen.fill();
    pen.stroke();
    pen.restore();
  });
}

/** The mark of a class, for a legend. */
export function ClassMark({ kind, hollow, plain }: { kind: number; hollow?: boolean; plain?: boolean }) {
  const corners = mark(kind, 4.6),
    colour = plain ? "currentColor" : `rgb(${hue(kind).join()})`;
  const paint = hollow ? { fill: "none", stroke: colour, strokeWidth: 1.6 } : { fill: colour };
  return (
    <svg className="class-mark" viewBox="-7 -7 14 14" width={13} height={13} aria-hidden="true">
      {corners ? <polygon points={corners.map((p) => p.join()).join(" ")} {...paint} /> : <circle r={4.6} {...paint} />}
    </svg>
  );
}
