/** The menu of the selected blocks, at the pointer. */

import { type KeyboardEvent, useEffect, useRef } from "react";
import { uses } from "../model/scope";
import { isComposite, makeIndependent, openNode, unpack } from "../store/compose";
import { duplicate, removeSelected } from "../store/verbs";
import { MOD, useBench, useEditor } from "./context";

interface Item {
  id: string;
  text: string;
  keys?: string;
  run: () => void;
}

export function Menu({ x, y }: { x: number; y: number }) {
  const { editor } = useBench();
  const nodes = useEditor((s) => s.nodes);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector("button")?.focus(), []);
  const one = nodes.size === 1 ? ([...nodes][0] as string) : "";
  const { graph } = editor.state.drawing;
  const own = one !== "" && isComposite(editor, one);
  const many = own && uses(editor.state.whole.graph, graph.nodes[one]?.block ?? "") > 1;
  const items: Item[] = [
    ...(own ? [{ id: "open", text: "Open", keys: "Enter", run: () => void openNode(editor, one) }] : []),
    { id: "group", text: "Group…", keys: `${MOD} G`, run: () => editor.set({ overlay: { kind: "group" } }) },
    ...(own ? [{ id: "unpack", text: "Unpack", keys: `${MOD} Shift G`, run: () => unpack(editor, one) }] : []),
    ...(many ? [{ id: "independent", text: "Make independent", run: () => makeIndependent(editor, one) }] : []),
    { id: "duplicate", text: "Duplicate", keys: `${MOD} D`, run: () => duplicate(editor) },
    { id: "delete", text: "Delete", keys: "Delete", run: () => removeSelected(editor) },
  ];
  const close = () => editor.set({ overlay: null });
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Escape" || event.key === "Tab") close();
    event.stopPropagation();
    if (!step) return;
    event.preventDefault();
    const all = [...event.currentTarget.querySelectorAll("button")];
    const now = all.indexOf(event.target as HTMLButtonElement);
    all[(now + step + all.length) % all.length]?.focus();
  };
  return (
    <div ref={list} className="menu" role="menu" aria-label="Selected blocks" style={{ left: x, top: y }} data-testid="menu" onKeyDown={onKey}>
      {items.map((item) => (
        <button key={item.id} type="button" role="menuitem" data-testid={`menu-${item.id}`} onClick={() => { close(); item.run(); }}>
          {item.text}{item.keys && <kbd aria-hidden="true">{item.keys}</kbd>}
        </button>
      ))}
    </div>
  );
}
