/** How the size of the output and the parameters come about, with this block's own numbers. */

import { useMemo } from "react";
import { useSizes } from "../hooks/useSizes";
import { sizeFormulas, parameterFormula, windowFormula } from "../model/formula";
import type { BlockSpec, NodeAnnotation, Settings } from "../protocol";
import { Formula } from "./Formula";

interface Props {
  id: string;
  block: string;
  spec: BlockSpec;
  given: Settings;
  note?: NodeAnnotation;
}

export function FilledFormula({ id, block, spec, given, note }: Props) {
  const sizes = useSizes(id, given, note);
  const lines = useMemo(() => {
    if (!sizes.gives) return [];
    const more = [
      windowFormula(block, spec, given, sizes),
      note ? parameterFormula(block, spec, given, note, sizes.takes) : "",
    ];
    return [...sizeFormulas(block, spec, given, sizes), ...more.filter(Boolean)];
  }, [block, spec, given, note, sizes]);
  if (!lines.length) return null;
  return (
    <div data-testid="filled-formula">
      <p className="help">With the numbers of {id}:</p>
      {lines.map((tex) => (
        <Formula key={tex} tex={tex} />
      ))}
    </div>
  );
}
