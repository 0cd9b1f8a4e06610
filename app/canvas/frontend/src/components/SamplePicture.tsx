/** A value as a small picture: maps beside each other, bars, a number or a text. */

import { useEffect, useRef } from "react";
import { bytesOf, DARK, type Inks, LIGHT, type Picture, pixels, short, spoken, tiles } from "../model/sample";

interface Props {
  picture: Picture;
  /** The room there is, in pixels of the drawing. */
  width: number;
  height: number;
}

const SHARP = 2,
  GAP = 3;

export function SamplePicture({ picture, width, height }: Props) {
  const ref = useRef<HTMLCanvasElement>(null);
  const painted = picture.kind === "maps" || picture.kind === "image" || picture.kind === "bars";
  useEffect(() => {
    const canvas = ref.current,
      pen = canvas?.getContext("2d");
    if (!canvas || !pen) return;
    const inks = canvas.closest("[data-theme=dark]") ? DARK : LIGHT;
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.imageSmoothingEnabled = false;
    if (picture.kind === "bars") bars(pen, picture, canvas, inks);
    else maps(pen, picture, canvas, inks);
  }, [picture, width, height]);
  if (!painted) {
    const text = picture.kind === "words" ? picture.text : (picture.values ?? []).map(short).join(" ");
    return (
      <span className="sample-words cut" title={text}>
        {text || "nothing"}
      </span>
    );
  }
  return (
    <canvas
      ref={ref}
      className="sample-picture"
      role="img"
      aria-label={spoken(picture)}
      width={width * SHARP}
      height={height * SHARP}
      style={{ width, height }}
    />
  );
}

/** Where maps are made at their own size; one for all blocks, as each new one costs time under a moving pen. */
const scratch = document.createElement("canvas");

function maps(pen: CanvasRenderingContext2D, picture: Picture, room: HTMLCanvasElement, inks: Inks): void {
  const [, rows = 0, columns = 0] = picture.shape ?? [];
  const inner = scratch.getContext("2d", { willReadFrequently: true });
  if (!rows || !columns || !inner) return;
  const tile = tiles(picture, room.height, room.width, GAP * SHARP),
    top = (room.height - tile.height) / 2;
  scratch.width = columns;
  scratch.height = rows * tile.count;
  inner.putImageData(
    new ImageData(pixels(picture, bytesOf(picture), tile.count, inks), columns, rows * tile.count),
    0,
    0,
  );
  pen.fillStyle = `rgb(${inks.plus.join(" ")} / 7%)`;
  for (let k = 0; k < tile.count; k++) {
    const left = k * (tile.width + GAP * SHARP);
    pen.fillRect(left, top, tile.width, tile.height);
    pen.drawImage(scratch, 0, k * rows, columns, rows, left, top, tile.width, tile.height);
  }
}

function bars(
  pen: CanvasRenderingContext2D,
  { values = [] }: Picture,
  { width, height }: HTMLCanvasElement,
  { plus, minus, none }: Inks,
): void {
  const numbers = values.filter((v): v is number => typeof v === "number");
  const top = Math.max(0, ...numbers),
    bottom = Math.min(0, ...numbers),
    span = top - bottom || 1;
  const each = Math.min(width / values.length, height / 2),
    zero = (top / span) * height;
  pen.fillStyle = `rgb(${plus.join(" ")} / 30%)`;
  pen.fillRect(0, Math.min(zero, height - 2), each * values.length, 2);
  values.forEach((value, i) => {
    const size = typeof value === "number" ? (Math.abs(value) / span) * height : height;
    pen.fillStyle = `rgb(${(typeof value !== "number" ? none : value < 0 ? minus : plus).join()})`;
    const from = typeof value !== "number" ? 0 : value < 0 ? zero : zero - size;
    pen.fillRect(i * each + 1, from, Math.max(1, each - 2), size);
  });
}
