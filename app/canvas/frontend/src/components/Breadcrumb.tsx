/** Where the canvas is: the network, and the composites opened one inside the other. */

import { useBench, useEditor } from "../hooks/useEditor";
import { blockOf } from "../model/ports";
import { compositesOf, opened, uses } from "../model/scope";
import { Icon } from "./icons";

export function Breadcrumb() {
  const { editor } = useBench();
  const scope = useEditor((s) => s.scope);
  const whole = useEditor((s) => s.whole);
  const name = useEditor((s) => s.name);
  if (!scope.length) return null;
  let nodes = whole.graph.nodes;
  const steps = scope.map((id) => {
    const block = blockOf(nodes[id], nodes);
    nodes = compositesOf(whole.graph)[block]?.nodes ?? {};
    return { id, block };
  });
  const here = opened(whole.graph, scope);
  const count = uses(whole.graph, here);
  return (
    <nav className="crumbs" aria-label="Open composites" data-testid="crumbs">
      <button type="button" className="button small" data-testid="crumb-0" onClick={() => editor.open([])}>
        {name || "Network"}
      </button>
      {steps.map(({ id, block }, i) => (
        <span key={i} className="crumb">
          <Icon name="chevron" size={11} />
          <button
            type="button"
            className="button small"
            aria-current={i === steps.length - 1 ? "page" : undefined}
            data-testid={`crumb-${i + 1}`}
            onClick={() => editor.open(scope.slice(0, i + 1))}
          >
            {id} <span className="muted">{block}</span>
          </button>
        </span>
      ))}
      <span className="crumb-note muted">
        {count > 1 ? `Changes apply to all ${count} uses of ${here}` : `The definition of ${here}`} · Esc goes up
      </span>
    </nav>
  );
}
