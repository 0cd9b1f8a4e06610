/** A wire was drawn to a block that is fed already: add both, or take the new one instead? */

import { type KeyboardEvent, useEffect, useRef } from "react";
import { toBlock } from "../actions/focus";
import { useBench } from "../hooks/useEditor";
import type { Edge } from "../model/drawing";
import { residualWire } from "../store/wireCommands";

interface Props {
  x: number;
  y: number;
  source: string;
  port: string;
  target: string;
  add: () => void;
  instead: (edge: Edge) => void;
}

export function Residual({ x, y, source, port, target, add, instead }: Props) {
  const { editor } = useBench();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector("button")?.focus(), []);
  const wire = residualWire(editor, source, port, target);
  if (!wire) return null;
  const close = () => editor.set({ overlay: null });
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === "Escape") {
      const root = event.currentTarget.closest<HTMLElement>(".loom");
      close();
      if (root) toBlock(root, editor);
    }
    event.stopPropagation();
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const all = [...event.currentTarget.querySelectorAll("button")];
    all[(all.indexOf(event.target as HTMLButtonElement) + 1) % all.length]?.focus();
  };
  return (
    <div
      ref={box}
      className="menu"
      role="menu"
      aria-label={`Wire from ${source} to ${target}`}
      style={{ left: x, top: y }}
      data-testid="residual"
      onKeyDown={onKey}
    >
      <button
        type="button"
        role="menuitem"
        data-testid="residual-add"
        onClick={() => {
          close();
          add();
        }}
      >
        Add as residual: {wire.source} + {source}
      </button>
      <button
        type="button"
        role="menuitem"
        data-testid="residual-replace"
        onClick={() => {
          close();
          instead({ source, sourcePort: port, target, targetPort: wire.targetPort });
        }}
      >
        Feed {target} from {source} instead
      </button>
    </div>
  );
}
