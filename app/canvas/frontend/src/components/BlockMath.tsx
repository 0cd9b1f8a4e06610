/** What a block computes: a drawing, the formula, and both with the block's own numbers. */

import { useHidesParams, useHidesShape } from "../hooks/useLesson";
import type { BlockSpec, NodeAnnotation, Settings } from "../protocol";
import { BlockDrawing } from "./drawings/BlockDrawing";
import { FilledFormula } from "./FilledFormula";
import { Formula } from "./Formula";
import { Icon } from "./icons";

interface Props {
  id: string;
  block: string;
  spec: BlockSpec;
  given: Settings;
  note?: NodeAnnotation;
}

export function BlockMath(props: Props) {
  const { spec } = props;
  const noShape = useHidesShape(props.id),
    noParams = useHidesParams(props.id);
  if (!spec.formula && !spec.shape_in && !spec.shape_out) return null;
  return (
    <section className="section">
      <h3>What it computes</h3>
      {!noShape && <BlockDrawing {...props} />}
      {spec.formula && <Formula tex={spec.formula} />}
      {!noShape && !noParams && <FilledFormula {...props} />}
      <dl className="facts">
        {spec.shape_in && (
          <>
            <dt>takes</dt>
            <dd>{spec.shape_in}</dd>
          </>
        )}
        {spec.shape_out && (
          <>
            <dt>gives</dt>
            <dd>{spec.shape_out}</dd>
          </>
        )}
      </dl>
      {spec.paper && (
        <p className="reference">
          <a href={spec.paper} target="_blank" rel="noopener noreferrer">
            The paper it comes from<span className="hidden-text"> (opens a new tab)</span>{" "}
            <Icon name="link" size={12} />
          </a>
        </p>
      )}
    </section>
  );
}
