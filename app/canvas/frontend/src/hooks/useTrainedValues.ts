/** After a first training the drawing opens with its values; beside a lesson, whose steps say when, it does not. */

import { useEffect } from "react";
import { openTrained } from "../store/oneSample";
import { useBench, useEditor } from "./useEditor";
import { useLesson } from "./useLesson";

export function useTrainedValues(): void {
  const { editor } = useBench();
  const ready = useEditor((s) => s.loaded && s.trained);
  const alone = useLesson((s) => s.focus === null);
  useEffect(() => {
    if (ready && alone) openTrained(editor);
  }, [ready, alone, editor]);
}
