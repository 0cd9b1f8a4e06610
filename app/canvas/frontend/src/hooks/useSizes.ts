/** The shapes before and behind a block, as long as they are those of its settings as they stand. */

import { useMemo } from "react";
import { isExpression } from "../model/expression";
import type { Sizes } from "../model/slidingWindows";
import type { NodeAnnotation, Settings } from "../protocol";
import { useEditor } from "./useEditor";

export function useSizes(id: string, given: Settings, note: NodeAnnotation | undefined): Sizes {
  const takes = useEditor((s) => {
    const wire = s.drawing.graph.edges.find((e) => e.target === id);
    return (wire && s.annotations.nodes[s.path + wire.source]?.outputs?.[wire.sourcePort]) || undefined;
  });
  // While an answer is on its way the shapes are those of older settings: show nothing false.
  const fresh = useEditor((s) => s.annRev >= s.semRev);
  // Inside a composite a setting may be an expression, with another value at each use.
  const plain = !Object.values(given).flat().some(isExpression);
  const gives = plain && fresh && !note?.state ? Object.values(note?.outputs ?? {})[0] : undefined;
  return useMemo(() => ({ takes, gives }), [takes, gives]);
}
