/** Verbs that arrange the whole drawing, behind one button of the bar. */

import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { type Action, buttonText, type Context, isEnabled, titleOf, whyNot } from "../actions/action";
import { menuCaps } from "../actions/actions";
import { group } from "../actions/editActions";
import { addANote } from "../actions/noteActions";
import { direction, fit, tidy } from "../actions/viewActions";
import { useBench, useEditor } from "../hooks/useEditor";
import { Icon } from "./icons";

const VERBS: readonly Action[] = [tidy, direction, fit, group, addANote];

export function ArrangeMenu() {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    root.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const elsewhere = (event: Event) => {
      if (!event.composedPath().includes(root.current as EventTarget)) setOpen(false);
    };
    document.addEventListener("pointerdown", elsewhere);
    return () => document.removeEventListener("pointerdown", elsewhere);
  }, [open]);
  const leave = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div className="bar-menu" ref={root} onKeyDown={(event) => onKey(event, leave)}>
      <button
        ref={button}
        type="button"
        className="button"
        aria-haspopup="menu"
        aria-expanded={open}
        data-testid="toolbar-arrange"
        onClick={() => setOpen(!open)}
      >
        <Icon name="tidy" /> Arrange
      </button>
      {open && <Verbs done={leave} />}
    </div>
  );
}

function Verbs({ done }: { done: () => void }) {
  const context: Context = { ...useBench(), root: null };
  useEditor((s) => s.selectedNodes);
  useEditor((s) => s.direction);
  const perform = (action: Action) => {
    done();
    if (isEnabled(action, context)) action.perform(context);
    else context.editor.notify(`${whyNot(action, context)}.`);
  };
  return (
    <div className="menu" role="menu" aria-label="Arrange">
      {VERBS.map((action) => (
        <button
          key={action.name}
          type="button"
          role="menuitem"
          title={titleOf(action, context)}
          aria-disabled={!isEnabled(action, context) || undefined}
          data-testid={`toolbar-${action.name}`}
          onClick={() => perform(action)}
        >
          {buttonText(action, context)}
          {menuCaps(action) && <kbd aria-hidden="true">{menuCaps(action)}</kbd>}
        </button>
      ))}
    </div>
  );
}

/** Up and down go through the verbs; Escape closes the menu. */
function onKey(event: KeyboardEvent<HTMLElement>, leave: () => void): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const verbs = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]")];
  if (!verbs.length) return;
  if (event.key === "Escape") leave();
  else if (step) verbs[(verbs.indexOf(event.target as HTMLElement) + step + verbs.length) % verbs.length]?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
