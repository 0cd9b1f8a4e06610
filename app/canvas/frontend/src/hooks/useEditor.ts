/** The document of this canvas, for all components below. */

import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { Bench } from "../store/bench";
import type { EditorState } from "../store/state";

export const BenchContext = createContext<Bench | null>(null);

export function useBench(): Bench {
  const bench = useContext(BenchContext);
  if (!bench) throw new Error("used outside the canvas");
  return bench;
}

/** What `select` reads of the editor's state; drawn again when that is another value. */
export function useEditor<T>(select: (state: EditorState) => T): T {
  return useStore(useBench().editor.store, select);
}
