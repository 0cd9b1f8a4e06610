/** What lies where on the canvas, and where something small may open over it. */

import { GRID } from "../model/geometry";

const NEAR = [
  [0, 0],
  [0, -14],
  [0, 14],
  [-14, 0],
  [14, 0],
  [-10, -10],
  [10, 10],
  [10, -10],
  [-10, 10],
] as const;
/** So far from the lower right corner that a small menu fits. */
const MENU = { width: 280, height: 340 };

export const snap = (value: number): number => Math.round(value / GRID) * GRID;

/** A place in the window. */
export interface Touch {
  clientX: number;
  clientY: number;
}

export class Surface {
  readonly ref: { current: HTMLDivElement | null } = { current: null };
  /** Where the pointer was let go last. */
  latest: Touch = { clientX: 0, clientY: 0 };
  /** Whether what is let go of now is to stay as it was. */
  cancelled = false;
  private marked: Element | undefined;

  under(x: number, y: number, selector: string): Element | undefined {
    const root = this.ref.current?.getRootNode() as Document | ShadowRoot;
    return root
      .elementsFromPoint(x, y)
      .map((e) => e.closest(selector))
      .find((e) => e !== null);
  }

  /** Id of the block (or note) at a place. */
  nodeUnder({ clientX, clientY }: Touch): string | null | undefined {
    return this.under(clientX, clientY, ".react-flow__node")?.getAttribute("data-id");
  }

  /** The wire at a place or a finger's breadth from it. */
  wireUnder({ clientX, clientY }: Touch): Element | undefined {
    for (const [dx, dy] of NEAR) {
      const found = this.under(clientX + dx, clientY + dy, ".react-flow__edge");
      if (found) return found;
    }
    return undefined;
  }

  /** Show which wire a dragged block would be put on. */
  mark(wire: Element | undefined): void {
    if (wire === this.marked) return;
    this.marked?.removeAttribute("data-drop");
    wire?.setAttribute("data-drop", "");
    this.marked = wire;
  }

  /** Id of the wire that is shown so; "" for none. */
  get target(): string {
    return this.marked?.getAttribute("data-id") ?? "";
  }

  /** The view moves, by hand, wheel or key: until it rests, patches are moved and not painted again (canvas.css). */
  moving(on: boolean): void {
    this.ref.current?.toggleAttribute("data-moving", on);
  }

  spot({ clientX, clientY }: Touch): { x: number; y: number } {
    const box = this.ref.current?.getBoundingClientRect() ?? new DOMRect();
    return {
      x: Math.min(clientX - box.left, box.width - MENU.width),
      y: Math.min(clientY - box.top, box.height - MENU.height),
    };
  }

  /** Give the keyboard back to the canvas. */
  focus(): void {
    this.ref.current?.closest<HTMLElement>(".loom")?.focus({ preventScroll: true });
  }
}
