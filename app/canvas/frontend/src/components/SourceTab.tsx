/** The source of the model; follows the selection, and a click on a line selects its block. */

import { memo, useEffect, useMemo, useRef, useState } from "react";
import { prefersReducedMotion } from "../hooks/prefersReducedMotion";
import { useBench, useEditor } from "../hooks/useEditor";
import { insideText, type Token, tokens } from "../model/highlight";
import { Icon } from "./icons";

export function SourceTab() {
  const { editor } = useBench();
  const source = useEditor((s) => s.source);
  const old = useEditor((s) => s.sourceOld);
  const nodes = useEditor((s) => s.annotations.nodes);
  const chosen = useEditor((s) => s.selectedNodes);
  const list = useRef<HTMLOListElement>(null);
  const lines = useMemo(() => source.replace(/\n$/, "").split("\n"), [source]);
  const inText = useMemo(() => insideText(lines), [lines]);
  const path = useEditor((s) => s.path);
  const owners = useMemo(() => owned(nodes, path), [nodes, path]);
  const marked = new Set(old ? [] : [...chosen].flatMap((id) => nodes[path + id]?.lines ?? []));
  const first = Math.min(...marked);

  useEffect(() => {
    if (!Number.isFinite(first)) return;
    const line = list.current?.children[first - 1];
    const panel = list.current?.closest(".side-panel");
    if (!line || !panel) return;
    const box = line.getBoundingClientRect(),
      view = panel.getBoundingClientRect();
    if (box.top >= view.top + 44 && box.bottom <= view.bottom - 20) return;
    panel.scrollBy({ top: box.top - view.top - view.height / 3, behavior: prefersReducedMotion() ? "auto" : "smooth" });
  }, [first]);

  const choose = (id: string) => {
    editor.show(id);
    editor.set({ tab: "source" });
  };
  if (!source) {
    return (
      <div className="nothing">
        <p>The source appears as soon as the drawing has no errors.</p>
      </div>
    );
  }
  return (
    <div className="source" data-testid="source" data-old={old || undefined}>
      <div className="source-bar">
        <span className="muted">
          {old ? "The last version without errors" : `${lines.length} lines, exactly what is trained`}
        </span>
        <CopyButton text={source} />
      </div>
      <ol ref={list} className="lines" aria-label="Source">
        {lines.map((line, i) => (
          <Line
            key={i}
            line={line}
            inText={inText[i] ?? false}
            marked={marked.has(i + 1)}
            owner={owners.get(i + 1) ?? ""}
            choose={choose}
          />
        ))}
      </ol>
    </div>
  );
}

interface LineProps {
  line: string;
  inText: boolean;
  marked: boolean;
  owner: string;
  choose: (id: string) => void;
}

const Line = memo(
  ({ line, inText, marked, owner, choose }: LineProps) => (
    <li
      data-marked={marked || undefined}
      data-owner={owner || undefined}
      onClick={owner ? () => choose(owner) : undefined}
    >
      <Tokens line={tokens(line, inText)} />
    </li>
  ),
  (a, b) => a.line === b.line && a.inText === b.inText && a.marked === b.marked && a.owner === b.owner,
);

export function Tokens({ line }: { line: Token[] }) {
  return (
    <code>
      {line.map(([kind, text], i) =>
        kind ? (
          <span key={i} className={`t-${kind}`}>
            {text}
          </span>
        ) : (
          text
        ),
      )}
      {"\n"}
    </code>
  );
}

/** The path of the node that a line belongs to; of several uses of a class that which is open. */
function owned(nodes: Record<string, { lines?: number[] }>, open: string): Map<number, string> {
  const owners = new Map<number, string>();
  for (const [path, note] of Object.entries(nodes)) {
    for (const line of note.lines ?? []) {
      if (!owners.has(line) || (open && path.startsWith(open))) owners.set(line, path);
    }
  }
  return owners;
}

function CopyButton({ text }: { text: string }) {
  const { editor } = useBench();
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    } catch {
      editor.notify("This browser does not let the page copy. Select the lines and press Ctrl+C.", "error");
    }
  };
  return (
    <button type="button" className="button small outline" data-testid="copy-source" onClick={copy}>
      <Icon name={done ? "check" : "copy"} size={13} /> {done ? "Copied" : "Copy"}
    </button>
  );
}
