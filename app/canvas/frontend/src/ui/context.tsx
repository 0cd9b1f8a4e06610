/** The document of this canvas, for all components below. */

import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { Editor, EditorState } from "../store/editor";
import type { Sync } from "../store/sync";

export interface Bench {
  editor: Editor;
  sync: Sync;
}

export const BenchContext = createContext<Bench | null>(null);

export function useBench(): Bench {
  const bench = useContext(BenchContext);
  if (!bench) throw new Error("used outside the canvas");
  return bench;
}

export function useEditor<T>(select: (state: EditorState) => T): T {
  return useStore(useBench().editor.store, select);
}

export const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Ctrl or Cmd, as written on this computer's keyboard. */
export const MOD = /Mac|iP(hone|ad)/.test(globalThis.navigator?.platform ?? "") ? "⌘" : "Ctrl";
