/** The sample that goes through the drawing, for the strip and the blocks. */

import { useStore } from "zustand";
import { edgeId } from "../model/graph";
import { type Mark, markAt, type Vitals } from "../model/health";
import { hasRun, type Picture, type Plane, type Score, type Spot } from "../model/sample";
import { type OneSample, sampleStore } from "../store/oneSample";
import { useBench, useEditor } from "./useEditor";

/** What `select` reads of it; drawn again when that is another value. */
export function useSample<T>(select: (state: OneSample) => T): T {
  return useStore(sampleStore(useBench().editor), select);
}

/** The picture of a block's value; undefined while no sample is looked at, or a step has not come so far. */
export function useBlockPicture(id: string): Picture | undefined {
  const path = useEditor((s) => s.path + id);
  return useSample((s) => (s.open && hasRun(s.steps, path) ? s.looked?.blocks[path] : undefined));
}

/** Whether there is a picture of a block's value. */
export function useHasPicture(id: string): boolean {
  const path = useEditor((s) => s.path + id);
  return useSample((s) => s.open && hasRun(s.steps, path) && s.looked?.blocks[path] !== undefined);
}

/** The plane of two columns, while that is looked at. */
export function usePlane(): Plane | undefined {
  return useSample((s) => (s.open && "plane" in s.wanted ? s.looked?.plane : undefined));
}

/** What the network answers, for the Output that says it. */
export function useOutputScores(id: string): Score[] | undefined {
  const path = useEditor((s) => s.path + id);
  return useSample((s) =>
    s.open && s.looked?.output === path && hasRun(s.steps, path) ? s.looked.prediction.scores : undefined,
  );
}

/** Whether the first value that is no number leaves this block. */
export function useBegan(id: string): boolean {
  const path = useEditor((s) => s.path + id);
  return useSample((s) => s.open && s.looked?.began === path);
}

/** What is sick about a block with the weights that are shown. */
export function useMark(id: string): Mark | undefined {
  const path = useEditor((s) => s.path + id);
  return useSample((s) => (s.open ? markAt(s.health, path) : undefined));
}

/** The measures of a block. */
export function useVitals(id: string): Vitals | undefined {
  const path = useEditor((s) => s.path + id);
  return useSample((s) => (s.open ? s.health.vitals[path] : undefined));
}

/** The wire that is selected alone, while a sample is looked at. */
export function useProbedWire(): (Spot & { to: string }) | null {
  const open = useSample((s) => s.open);
  const path = useEditor((s) => s.path);
  const edge = useEditor((s) =>
    s.selectedEdges.size === 1 && !s.selectedNodes.size
      ? s.drawing.graph.edges.find((e) => s.selectedEdges.has(edgeId(e)))
      : undefined,
  );
  return open && edge ? { path: path + edge.source, port: edge.sourcePort, to: edge.target } : null;
}
