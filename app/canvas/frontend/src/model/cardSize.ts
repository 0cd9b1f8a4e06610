/** The size of a block of a drawing. */

import { type Direction, type Size, sizeOf } from "./geometry";
import type { Ports } from "./ports";

export function cardSize(ports: Ports, id: string, direction: Direction): Size {
  return sizeOf(ports.drawn(id), ports.given(id), direction);
}
