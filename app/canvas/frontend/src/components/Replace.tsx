/** "Replace with…" in the inspector: another block in the same place, its wires kept. */

import { useState } from "react";
import { useBench, useEditor } from "../hooks/useEditor";
import { replaceNode, substitutes } from "../store/wireCommands";

export function Replace({ id, onClose }: { id: string; onClose: () => void }) {
  const { editor } = useBench();
  const [query, setQuery] = useState("");
  const catalogue = useEditor((s) => s.catalogue);
  useEditor((s) => s.drawing);
  const results = substitutes(editor, id, query).slice(0, 40);
  const done = (block: string | undefined) => {
    onClose();
    if (block) replaceNode(editor, id, block);
  };
  return (
    <div className="replace" data-testid="replace-list">
      <input
        className="field"
        type="search"
        autoFocus
        placeholder="Replace with…"
        aria-label="Replace with"
        value={query}
        data-testid="replace-query"
        onChange={(e) => setQuery(e.target.value)}
        onKeyDown={(e) => {
          if (e.key === "Enter") done(results[0]);
          if (e.key === "Escape") done(undefined);
        }}
      />
      <div className="replace-found scroll">
        {results.map((name) => (
          <button
            key={name}
            type="button"
            className="entry"
            data-testid={`replace-${name}`}
            onClick={() => done(name)}
            data-family={catalogue.block(name) ? catalogue.family(name) : "composite"}
            title={catalogue.block(name)?.summary}
          >
            <span className="stripe" />
            <span className="entry-text">
              <span className="cut">{name}</span>
            </span>
          </button>
        ))}
      </div>
    </div>
  );
}
