/** What is wrong with the selected block, with the fixes that are offered. */

import { useEditor } from "../hooks/useEditor";
import { isUnused } from "../model/graph";
import type { Problem } from "../protocol";
import { problems, shownAs } from "../store/annotations";
import { FixList } from "./FixList";
import { Icon } from "./icons";

export function Findings({ id }: { id: string }) {
  const notes = useEditor((s) => s.annotations);
  const path = useEditor((s) => s.path);
  const unused = useEditor((s) => isUnused(s.drawing.graph, id));
  const own = (p: Problem) => unused && p.code === "unused_layer" && p.node === path + id; // Unused says it
  const mine = problems(notes).filter((p) => shownAs(p.node, path) === id && !own(p));
  return mine.map((p, i) => (
    <div key={`${p.code} ${i}`} className="finding" data-level={p.level}>
      <p>
        <Icon name={p.level} size={14} />{" "}
        <span>
          {p.message} <span className="muted">{p.hint}</span>
        </span>
      </p>
      <FixList finding={p} testid={(j) => `finding-${i}-fix-${j}`} />
    </div>
  ));
}
