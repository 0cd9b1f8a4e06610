/** The sample that goes through the drawing, for the strip and the blocks. */

import { useStore } from "zustand";
import type { Picture, Score } from "../model/sample";
import { type OneSample, sampleStore } from "../store/oneSample";
import { useBench, useEditor } from "./useEditor";

/** What `select` reads of it; drawn again when that is another value. */
export function useSample<T>(select: (state: OneSample) => T): T {
  return useStore(sampleStore(useBench().editor), select);
}

/** The picture of a block's value; undefined while no sample is looked at. */
export function useBlockPicture(id: string): Picture | undefined {
  const path = useEditor((s) => s.path + id);
  return useSample((s) => (s.open ? s.looked?.blocks[path] : undefined));
}

/** What the network answers, for the Output that says it. */
export function useOutputScores(id: string): Score[] | undefined {
  const path = useEditor((s) => s.path + id);
  return useSample((s) => (s.open && s.looked?.output === path ? s.looked.prediction.scores : undefined));
}

/** Whether the first value that is no number leaves this block. */
export function useBegan(id: string): boolean {
  const path = useEditor((s) => s.path + id);
  return useSample((s) => s.open && s.looked?.began === path);
}
