/** The menu of the selected blocks, or of the drawing, at the pointer. */

import { type KeyboardEvent, useEffect, useRef } from "react";
import { type Action, type Context, isInMenu, labelOf } from "../actions/action";
import { menuCaps, PLACE_MENU, SELECTION_MENU } from "../actions/actions";
import { toBlock } from "../actions/focus";
import { useBench, useEditor } from "../hooks/useEditor";

interface Props {
  x: number;
  y: number;
  /** The place of the drawing that was pressed, where no block stands. */
  at?: [number, number];
}

export function Menu({ x, y, at }: Props) {
  const bench = useBench(),
    { editor } = bench;
  const list = useRef<HTMLDivElement>(null);
  useEditor((s) => s.selectedNodes);
  useEffect(() => list.current?.querySelector("button")?.focus(), []);
  const context: Context = { ...bench, root: null, ...(at ? { at } : {}) };
  const items = (at ? PLACE_MENU : SELECTION_MENU).filter((action) => isInMenu(action, context));
  const perform = (action: Action) => {
    const root = list.current?.closest<HTMLElement>(".loom") ?? null;
    close();
    action.perform({ ...context, root });
  };
  const close = () => editor.set({ overlay: null });
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Escape" || event.key === "Tab") {
      const root = event.currentTarget.closest<HTMLElement>(".loom");
      event.preventDefault();
      close();
      if (root) toBlock(root, editor);
    }
    event.stopPropagation();
    if (!step) return;
    event.preventDefault();
    const all = [...event.currentTarget.querySelectorAll("button")];
    const now = all.indexOf(event.target as HTMLButtonElement);
    all[(now + step + all.length) % all.length]?.focus();
  };
  return (
    <div
      ref={list}
      className="menu"
      role="menu"
      aria-label={at ? "Drawing" : "Selected blocks"}
      style={{ left: x, top: y }}
      data-testid="menu"
      onKeyDown={onKey}
    >
      {items.map((action) => (
        <button
          key={action.name}
          type="button"
          role="menuitem"
          data-testid={`menu-${action.name}`}
          onClick={() => perform(action)}
        >
          {labelOf(action, context)}
          {menuCaps(action) && <kbd aria-hidden="true">{menuCaps(action)}</kbd>}
        </button>
      ))}
    </div>
  );
}
