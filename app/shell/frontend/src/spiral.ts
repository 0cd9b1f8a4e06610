/** A small network that learns two spirals while one looks: weights of a real run, played in a loop. */

/** As `app/shell/recording.py` records it: for each epoch the weights and biases of three layers, flat. */
export interface Recording {
  epochs: number[];
  frames: number[][][];
  points: [number, number][];
  classes: number[];
}

const RUN_MS = 9000,
  HOLD_MS = 3500;
/** Sides of the picture of the plane, in cells, and what it shows of it: standardised points reach 2. */
const CELLS = 84,
  REACH = 2.15;
const DOT = 0.011;
type Rgb = readonly [number, number, number];
interface Colours {
  one: Rgb;
  other: Rgb;
  ground: Rgb;
}
const LIGHT: Colours = { one: [91, 91, 214], other: [224, 138, 46], ground: [253, 253, 254] };
const DARK: Colours = { one: [140, 134, 255], other: [240, 160, 80], ground: [20, 21, 28] };

/** The weights between two recorded epochs, and which epoch that is. share: of the whole, from 0 to 1. */
export function between({ epochs, frames }: Recording, share: number): { weights: number[][]; epoch: number } {
  const at = Math.min(Math.max(share, 0), 1) * (frames.length - 1);
  const low = Math.floor(at),
    high = Math.min(low + 1, frames.length - 1),
    part = at - low;
  const mix = (a: number, b: number) => a + (b - a) * part;
  const first = frames[low] as number[][],
    second = frames[high] as number[][];
  const weights = first.map((layer, i) => layer.map((w, k) => mix(w, second[i]?.[k] ?? w)));
  return { weights, epoch: Math.round(mix(epochs[low] as number, epochs[high] as number)) };
}

/** The probability of the second class at a point: Linear, Tanh, Linear, Tanh, Linear, softmax. */
export function probability(weights: readonly number[][], x: number, y: number): number {
  let values = [x, y];
  for (let layer = 0; layer < 3; layer++) {
    const matrix = weights[2 * layer] as number[],
      bias = weights[2 * layer + 1] as number[],
      width = values.length;
    const next = new Array<number>(bias.length);
    for (let i = 0; i < bias.length; i++) {
      let sum = bias[i] as number;
      for (let k = 0; k < width; k++) sum += (matrix[i * width + k] as number) * (values[k] as number);
      next[i] = layer < 2 ? Math.tanh(sum) : sum;
    }
    values = next;
  }
  return 1 / (1 + Math.exp((values[0] as number) - (values[1] as number)));
}

/** How many of the points are on their side. */
export const right = (weights: readonly number[][], { points, classes }: Recording): number =>
  points.filter(([x, y], i) => (probability(weights, x, y) > 0.5 ? 1 : 0) === classes[i]).length;

export class Spiral {
  readonly root = document.createElement("div");
  private readonly canvas = document.createElement("canvas");
  private readonly words = document.createElement("p");
  private readonly plane = document.createElement("canvas");
  private readonly still = matchMedia("(prefers-reduced-motion: reduce)");
  private recording: Recording | null = null;
  private frame = 0;
  private began = 0;
  private drawn = -1;

  constructor(address: string) {
    this.root.className = "spiral";
    this.plane.width = this.plane.height = CELLS;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "A small network learns to tell two spirals of points apart.");
    this.root.append(this.canvas, this.words);
    void this.load(address);
  }

  end(): void {
    cancelAnimationFrame(this.frame);
  }

  private async load(address: string): Promise<void> {
    const answer = await fetch(new URL(address, document.baseURI)).catch(() => null);
    if (!answer?.ok) return this.root.remove(); // a picture, not a promise
    this.recording = (await answer.json()) as Recording;
    this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  private readonly tick = (now: number): void => {
    this.began ||= now;
    const share = this.still.matches ? 1 : Math.min(((now - this.began) % (RUN_MS + HOLD_MS)) / RUN_MS, 1);
    if (share !== this.drawn && this.root.isConnected) this.draw(share);
    if (!this.still.matches) this.frame = requestAnimationFrame(this.tick);
  };

  private draw(share: number): void {
    const recording = this.recording as Recording;
    const { weights, epoch } = between(recording, share);
    const side = this.canvas.clientWidth,
      ratio = Math.min(devicePixelRatio, 2);
    if (!side) return;
    this.drawn = share;
    this.canvas.width = this.canvas.height = Math.round(side * ratio);
    const pen = this.canvas.getContext("2d"),
      colours = this.colours();
    if (!pen) return;
    this.paint(weights, colours);
    pen.imageSmoothingEnabled = true;
    pen.drawImage(this.plane, 0, 0, this.canvas.width, this.canvas.height);
    this.dots(pen, recording, colours);
    const hits = right(weights, recording);
    this.words.textContent = `epoch ${epoch} · ${((100 * hits) / recording.points.length).toFixed(0)}% correct`;
  }

  /** The probabilities over the plane: the colour of each side, the paler the less sure. */
  private paint(weights: readonly number[][], { one, other, ground }: Colours): void {
    const pen = this.plane.getContext("2d");
    if (!pen) return;
    const pixels = pen.createImageData(CELLS, CELLS);
    for (let row = 0; row < CELLS; row++)
      for (let column = 0; column < CELLS; column++) {
        const x = ((column + 0.5) / CELLS - 0.5) * 2 * REACH,
          y = (0.5 - (row + 0.5) / CELLS) * 2 * REACH;
        const sure = 2 * probability(weights, x, y) - 1;
        const side = sure < 0 ? one : other,
          much = 0.06 + 0.5 * Math.abs(sure);
        const place = 4 * (row * CELLS + column);
        for (let k = 0; k < 3; k++)
          pixels.data[place + k] = (ground[k] as number) * (1 - much) + (side[k] as number) * much;
        pixels.data[place + 3] = 255;
      }
    pen.putImageData(pixels, 0, 0);
  }

  private dots(pen: CanvasRenderingContext2D, { points, classes }: Recording, { one, other, ground }: Colours): void {
    const side = this.canvas.width;
    pen.lineWidth = side * 0.004;
    pen.strokeStyle = `rgb(${ground.join()})`;
    points.forEach(([x, y], i) => {
      pen.beginPath();
      pen.arc((x / REACH / 2 + 0.5) * side, (0.5 - y / REACH / 2) * side, DOT * side, 0, 7);
      pen.fillStyle = `rgb(${(classes[i] ? other : one).join()})`;
      pen.fill();
      pen.stroke();
    });
  }

  private colours(): Colours {
    return matchMedia("(prefers-color-scheme: dark)").matches ? DARK : LIGHT; // which the scheme of the page answers
  }
}
