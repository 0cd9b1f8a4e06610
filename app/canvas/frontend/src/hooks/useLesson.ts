/** What a lesson beside the drawing makes of a block. */

import { useStore } from "zustand";
import { asks, type Focus, hiddenShapes } from "../model/lesson";
import type { EditorState } from "../store/state";
import { lesson, type LessonState } from "../store/lesson";
import { useEditor } from "./useEditor";

export const useLesson = <T>(select: (state: LessonState) => T): T => useStore(lesson, select);

const NOTHING: ReadonlySet<string> = new Set();
let known: { focus: Focus; edges: unknown; nodes: unknown; ids: ReadonlySet<string> } | null = null;

/** Worked out once for all blocks and wires, as long as the drawing and the question are the same. */
function shapesOf(
  focus: Focus | null,
  {
    drawing: {
      graph: { edges },
    },
    annotations: { nodes },
    path,
  }: EditorState,
): ReadonlySet<string> {
  if (!focus?.hidden.length || path) return NOTHING;
  if (known?.focus !== focus || known.edges !== edges || known.nodes !== nodes) {
    known = { focus, edges, nodes, ids: hiddenShapes(focus, edges, nodes) };
  }
  return known.ids;
}

/** Whether the lesson asks for the shape that leaves this block, or for one that is the same. */
export function useHidesShape(id: string): boolean {
  const focus = useLesson((s) => s.focus);
  return useEditor((s) => shapesOf(focus, s).has(id));
}

/** Whether the lesson asks for the parameters of this block. */
export function useHidesParams(id: string): boolean {
  const asked = useLesson((s) => asks(s.focus, "params", id));
  return useEditor((s) => s.path === "") && asked;
}

/** How a block is marked: its name is pointed at in the text, or the step is about it. */
export function useLessonMark(id: string): "pointed" | "about" | undefined {
  return useLesson((s) => (s.pointed === id ? "pointed" : s.focus?.about.includes(id) ? "about" : undefined));
}
