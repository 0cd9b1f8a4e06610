/** The lines of source that a block became; a press opens the source there. */

import { useBench, useEditor } from "../hooks/useEditor";
import { tokens } from "../model/highlight";
import type { NodeAnnotation } from "../protocol";
import { Tokens } from "./SourceTab";

const MOST = 12;

export function SourceLines({ note, composite }: { note?: NodeAnnotation; composite: boolean }) {
  const { editor } = useBench();
  const source = useEditor((s) => s.source);
  const old = useEditor((s) => s.sourceOld);
  if (old || !note?.lines?.length || !source) return null;
  const all = source.split("\n");
  const lines = note.lines.slice(0, MOST);
  return (
    <section className="section">
      <h3>{composite ? "Where it is used in the source" : "Its lines of source"}</h3>
      <button
        type="button"
        className="own-lines scroll"
        title="Open the source"
        data-testid="own-lines"
        onClick={() => editor.set({ tab: "source" })}
      >
        {lines.map((n) => (
          <span key={n}>
            <i>{n}</i>
            <Tokens line={tokens((all[n - 1] ?? "").trim())} />
          </span>
        ))}
        {note.lines.length > MOST && <span className="muted">and {note.lines.length - MOST} more</span>}
      </button>
    </section>
  );
}
