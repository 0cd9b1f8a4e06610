/** Every finding; a click shows its block, if it has one; each fix is one undo step. */

import { useBench, useEditor } from "../hooks/useEditor";
import type { Problem } from "../protocol";
import { problems, shownAs } from "../store/annotations";
import { FixList } from "./FixList";
import { Icon } from "./icons";

function Told({ problem: { level, message, hint } }: { problem: Problem }) {
  return (
    <>
      <Icon name={level} />
      <span>
        <span className="hidden-text">{level === "error" ? "Error: " : "Warning: "}</span>
        {message}
        {hint && <span className="muted problem-hint">{hint}</span>}
      </span>
    </>
  );
}

export function ProblemsTab() {
  const { editor } = useBench();
  const notes = useEditor((s) => s.annotations);
  const chosen = useEditor((s) => s.selectedNodes);
  const path = useEditor((s) => s.path);
  const empty = useEditor((s) => Object.keys(s.drawing.graph.nodes).length === 0);
  const all = problems(notes);
  const show = (path: string) => {
    editor.show(path);
    editor.set({ tab: "problems" }); // the list is gone through one by one
  };
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
        <li
          key={`${problem.node} ${problem.code} ${i}`}
          className="problem"
          data-level={problem.level}
          data-chosen={chosen.has(shownAs(problem.node, path)) || undefined}
        >
          {problem.node ? (
            <button
              type="button"
              className="problem-text"
              data-testid={`problem-${i}`}
              onClick={() => show(problem.node)}
            >
              <Told problem={problem} />
            </button>
          ) : (
            <div className="problem-text" data-testid={`problem-${i}`}>
              <Told problem={problem} />
            </div>
          )}
          <FixList finding={problem} testid={(j) => `problem-${i}-fix-${j}`} />
        </li>
      ))}
    </ul>
  );
}
