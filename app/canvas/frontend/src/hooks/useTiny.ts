/** Whether so many blocks are in view, so small, that each is only a patch in the colour of its family. */

import { useStore as useFlow } from "@xyflow/react";
import { createContext } from "react";

/** Drawings of more blocks than this are drawn in parts, or as patches. */
export const MANY = 150;
const TINY = 0.22;

export const TinyContext = createContext(false);

export function useTiny(count: number): boolean {
  return useFlow((s) => count > MANY && s.transform[2] < TINY);
}
