/** How the size of the output comes about, with this block's own numbers. */

import { useMemo } from "react";
import { isExpression } from "../model/expression";
import { filled } from "../model/filled";
import type { BlockSpec, NodeNote, Settings } from "../protocol";
import { useEditor } from "./context";
import { Formula } from "./Formula";

interface Props {
  id: string;
  block: string;
  spec: BlockSpec;
  given: Settings;
  note?: NodeNote;
}

export function FilledFormula({ id, block, spec, given, note }: Props) {
  const takes = useEditor((s) => {
    const wire = s.drawing.graph.edges.find((e) => e.target === id);
    return (wire && s.notes.nodes[s.path + wire.source]?.outputs?.[wire.sourcePort]) ?? "";
  });
  // While an answer is on its way the shapes are those of older settings: show nothing false.
  const fresh = useEditor((s) => s.annRev >= s.semRev);
  // Inside a composite a setting may be an expression, with another value at each use.
  const plain = !Object.values(given).flat().some(isExpression);
  const gives = plain && fresh && !note?.state ? (Object.values(note?.outputs ?? {})[0] ?? "") : "";
  const lines = useMemo(() => filled(block, spec, given, { takes, gives }), [block, spec, given, takes, gives]);
  if (!lines.length) return null;
  return (
    <div data-testid="filled-formula">
      <p className="help">With the numbers of {id}:</p>
      {lines.map((tex) => <Formula key={tex} tex={tex} />)}
    </div>
  );
}
