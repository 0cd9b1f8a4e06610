/** Every finding; a click shows its block, each fix is one undo step. */

import { problems, shownAs } from "../store/annotations";
import { useBench, useEditor } from "./context";
import { FixList } from "./FixList";
import { Icon } from "./icons";

export function ProblemsTab() {
  const { editor } = useBench();
  const notes = useEditor((s) => s.notes);
  const chosen = useEditor((s) => s.nodes);
  const path = useEditor((s) => s.path);
  const empty = useEditor((s) => Object.keys(s.drawing.graph.nodes).length === 0);
  const all = problems(notes);
  if (!all.length) {
    return (
      <div className="nothing">
        <Icon name={empty ? "plus" : "check"} size={22} />
        <p>{empty ? "Nothing is drawn yet." : "No problems: every shape fits."}</p>
      </div>
    );
  }
  return (
    <ul className="problems">
      {all.map((problem, i) => (
        <li key={`${problem.node} ${problem.code} ${i}`} className="problem" data-level={problem.level} data-chosen={chosen.has(shownAs(problem.node, path)) || undefined}>
          <button type="button" className="problem-text" data-testid={`problem-${i}`} onClick={() => editor.show(problem.node)}>
            <Icon name={problem.level} />
            <span>
              <span className="hidden-text">{problem.level === "error" ? "Error: " : "Warning: "}</span>
              {problem.message}
              {problem.hint && <span className="muted problem-hint">{problem.hint}</span>}
            </span>
          </button>
          <FixList finding={problem} testid={(j) => `problem-${i}-fix-${j}`} />
        </li>
      ))}
    </ul>
  );
}
