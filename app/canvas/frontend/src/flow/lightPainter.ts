/** Draws the light that runs: heads with a tail along the threads of the wires, and blocks that light up. */

import type { Flight, Glow, Run, Strength, Way } from "../model/light";
import type { Rect } from "../model/minimap";
import type { Rgb } from "../model/sample";
import type { Point } from "../model/router";
import { coverOf, partOf, placeAt, type Track, widthOf } from "../model/strand";

export type Inks = Readonly<Record<Way, Rgb>>;

export interface Scene {
  flight: Flight;
  strengths: ReadonlyMap<string, Strength>;
  track: (wire: string, way: Way) => Track | undefined;
  card: (block: string) => Rect | undefined;
  /** The labels of the wires: light passes beneath them. */
  labels: readonly Rect[];
  inks: Inks;
  dark: boolean;
}

/** Length of a tail: of the time that its wire takes, and in pixels. */
const TAIL = 0.75,
  LONGEST_TAIL = 150,
  PIECES = 14;
/** How large the head of the strongest light is, and of the weakest, in pixels of the drawing. */
const HEAD = { least: 6, more: 14 };
/** A block lights up, and goes out again; a head stays for a moment where it came to. */
const RISE_MS = 70,
  FADE_MS = 520,
  STAY_MS = 140;
/** Beyond any drawing. */
const FAR = 1e6;
const BLUR = 22,
  ROUND = 10;
/** A card without strength is lit a little, too: the light has come to it. */
const FAINT = 0.22;

/** How long after the last light all of it has gone out. */
export const AFTER_MS = RISE_MS + FADE_MS;

const rgba = ([r, g, b]: Rgb, share: number) => `rgba(${r},${g},${b},${share})`;

export class LightPainter {
  private readonly sprites = new Map<string, HTMLCanvasElement>();

  /** Draw a moment; the pen has the scale and place of the drawing. */
  paint(pen: CanvasRenderingContext2D, scene: Scene, ms: number): void {
    pen.lineCap = "round";
    pen.lineJoin = "round";
    pen.globalCompositeOperation = "source-over";
    for (const glow of scene.flight.glows) this.glow(pen, scene, glow, ms - glow.at);
    pen.save();
    pen.clip(around(scene.labels), "evenodd");
    this.still(pen, scene);
    for (const run of scene.flight.runs) this.thread(pen, scene, run, ms);
    pen.globalCompositeOperation = scene.dark ? "lighter" : "source-over";
    for (const run of scene.flight.runs) this.head(pen, scene, run, ms);
    pen.restore();
  }

  /** Threads that light came along before. */
  private still(pen: CanvasRenderingContext2D, scene: Scene): void {
    const running = new Set(scene.flight.runs.map(({ wire, way }) => `${way} ${wire}`));
    for (const wire of scene.strengths.keys()) {
      for (const way of ["forward", "backward"] as const)
        if (!running.has(`${way} ${wire}`)) this.thread(pen, scene, { wire, way, from: -1, to: 0 }, 0);
    }
  }

  /** The thread as far as light has come. */
  private thread(pen: CanvasRenderingContext2D, scene: Scene, { wire, way, from, to }: Run, ms: number): void {
    const track = scene.track(wire, way),
      strength = scene.strengths.get(wire)?.[way];
    if (!track || strength === undefined || ms <= from) return;
    const far = track.length * Math.min(1, (ms - from) / (to - from));
    const [start, end] = way === "forward" ? [0, far] : [track.length - far, track.length];
    pen.globalAlpha = 1;
    pen.strokeStyle = rgba(scene.inks[way], coverOf(strength));
    pen.lineWidth = widthOf(strength);
    stroke(pen, far < track.length ? partOf(track, start, end) : track.points);
  }

  /** The head and its tail. */
  private head(pen: CanvasRenderingContext2D, scene: Scene, { wire, way, from, to }: Run, ms: number): void {
    const track = scene.track(wire, way),
      strength = scene.strengths.get(wire)?.[way];
    if (!track || strength === undefined || ms <= from || ms >= to + STAY_MS) return;
    const share = Math.min(1, (ms - from) / (to - from)),
      gone = Math.max(0, ms - to) / STAY_MS;
    const at = (far: number): Point => placeAt(track, way === "forward" ? far : track.length - far);
    const head = track.length * share,
      tail = Math.min(LONGEST_TAIL, TAIL * track.length) * (1 - gone);
    const width = widthOf(strength);
    pen.strokeStyle = rgba(scene.inks[way], 1);
    pen.lineCap = "butt"; // round ends would lie on each other, and be seen as beads
    for (let i = 0; i < PIECES && tail > 1; i++) {
      const near = head - (tail * i) / PIECES,
        far = head - (tail * (i + 1)) / PIECES;
      if (near <= 0) break;
      const left = 1 - i / PIECES;
      pen.globalAlpha = 0.75 * left * left;
      pen.lineWidth = width + (2 + 4 * strength) * left;
      stroke(pen, [at(Math.max(0, far)), at(near)]);
    }
    const radius = (HEAD.least + HEAD.more * strength) * (1 - 0.6 * gone),
      [x, y] = at(head);
    pen.globalAlpha = 1 - gone;
    pen.drawImage(this.spark(scene, way), x - radius, y - radius, 2 * radius, 2 * radius);
  }

  /** The card of a block that light has come to. */
  private glow(pen: CanvasRenderingContext2D, scene: Scene, { block, way, strength }: Glow, since: number): void {
    const card = scene.card(block);
    if (!card || since <= 0 || since >= AFTER_MS) return;
    const lit = since < RISE_MS ? since / RISE_MS : (1 - (since - RISE_MS) / FADE_MS) ** 2;
    pen.globalAlpha = lit * (FAINT + (1 - FAINT) * strength);
    const { x, y, width, height } = card;
    const room = 2 * BLUR;
    pen.drawImage(this.halo(scene, way, width, height), x - room, y - room, width + 2 * room, height + 2 * room);
  }

  /** A round light, drawn once: white in its middle where the page is dark. */
  private spark({ inks, dark }: Scene, way: Way): HTMLCanvasElement {
    return this.sprite(`spark ${way} ${dark}`, 64, 64, (pen) => {
      const fill = pen.createRadialGradient(32, 32, 0, 32, 32, 32);
      fill.addColorStop(0, dark ? "rgba(255,255,255,1)" : rgba(inks[way], 1));
      fill.addColorStop(0.2, dark ? "rgba(255,255,255,.9)" : rgba(inks[way], 1));
      fill.addColorStop(0.34, rgba(inks[way], 0.75));
      fill.addColorStop(0.6, rgba(inks[way], 0.24));
      fill.addColorStop(1, rgba(inks[way], 0));
      pen.fillStyle = fill;
      pen.fillRect(0, 0, 64, 64);
    });
  }

  /** The light around a card of this size, none on it. */
  private halo({ inks, dark }: Scene, way: Way, width: number, height: number): HTMLCanvasElement {
    const room = 2 * BLUR;
    return this.sprite(`halo ${way} ${dark} ${width} ${height}`, width + 2 * room, height + 2 * room, (pen) => {
      const card = () => {
        pen.beginPath();
        pen.roundRect(room, room, width, height, ROUND);
      };
      pen.shadowColor = rgba(inks[way], dark ? 0.9 : 0.75);
      pen.fillStyle = rgba(inks[way], 1);
      for (const blur of [BLUR, BLUR / 3]) {
        pen.shadowBlur = blur;
        card();
        pen.fill();
      }
      pen.shadowBlur = 0;
      pen.globalCompositeOperation = "destination-out";
      card();
      pen.fill();
      pen.globalCompositeOperation = "source-over";
      pen.strokeStyle = rgba(inks[way], 1);
      pen.lineWidth = 2;
      card();
      pen.stroke();
    });
  }

  private sprite(
    key: string,
    width: number,
    height: number,
    draw: (pen: CanvasRenderingContext2D) => void,
  ): HTMLCanvasElement {
    let found = this.sprites.get(key);
    if (!found) {
      found = document.createElement("canvas");
      found.width = width;
      found.height = height;
      const pen = found.getContext("2d");
      if (pen) draw(pen);
      this.sprites.set(key, found);
    }
    return found;
  }
}

/** Everything but these. */
function around(rects: readonly Rect[]): Path2D {
  const path = new Path2D();
  path.rect(-FAR, -FAR, 2 * FAR, 2 * FAR);
  for (const { x, y, width, height } of rects) path.rect(x, y, width, height);
  return path;
}

function stroke(pen: CanvasRenderingContext2D, line: readonly Point[]): void {
  pen.beginPath();
  line.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
}
