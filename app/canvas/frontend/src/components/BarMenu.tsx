/** A button of the bar that opens something below it: a menu of verbs, or a panel. */

import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { type Action, buttonText, type Context, isEnabled, titleOf, whyNot } from "../actions/action";
import { menuCaps } from "../actions/actions";
import { useBench } from "../hooks/useEditor";
import { Icon, type IconName } from "./icons";

interface Props {
  id: string;
  kind: "menu" | "dialog";
  /** Of what opens, for those who hear it. */
  label: string;
  title?: string;
  icon?: IconName;
  text: ReactNode;
  /** Whether it opens to the left, as at the right end of the bar. */
  right?: boolean;
  className?: string;
  children: (close: () => void) => ReactNode;
}

export function BarMenu({ id, kind, label, title, icon, text, right, className = "", children }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    root.current?.querySelector<HTMLElement>("[role=menuitem], .bar-panel :is(button, select)")?.focus();
    const elsewhere = (event: Event) => {
      if (!event.composedPath().includes(root.current as EventTarget)) setOpen(false);
    };
    document.addEventListener("pointerdown", elsewhere);
    return () => document.removeEventListener("pointerdown", elsewhere);
  }, [open]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div
      className={`bar-menu ${className}`}
      ref={root}
      onKeyDown={(event) => open && onKey(event, close)}
      onBlur={({ relatedTarget, currentTarget }) => {
        // a press gives the focus to the whole workbench before it is a click
        const gone = relatedTarget && !currentTarget.contains(relatedTarget) && !relatedTarget.contains(currentTarget);
        if (gone) setOpen(false);
      }}
    >
      <button
        ref={button}
        type="button"
        className="button"
        title={title}
        aria-haspopup={kind}
        aria-expanded={open}
        data-testid={`toolbar-${id}`}
        onClick={() => setOpen(!open)}
      >
        {icon && <Icon name={icon} />} {text}
        <Icon name="below" size={11} />
      </button>
      {open && (
        <div
          className={`${kind === "menu" ? "menu" : "menu bar-panel"} ${right ? "right" : ""}`}
          role={kind}
          aria-label={label}
          data-testid={`${id}-open`}
        >
          {children(close)}
        </div>
      )}
    </div>
  );
}

/** Up and down go through the verbs; Escape closes. */
function onKey(event: KeyboardEvent<HTMLElement>, close: () => void): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const verbs = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]")];
  if (event.key === "Escape") close();
  else if (step && verbs.length)
    verbs[(verbs.indexOf(event.target as HTMLElement) + step + verbs.length) % verbs.length]?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

interface VerbProps {
  id: string;
  text: string;
  title?: string;
  caps?: string;
  off?: boolean;
  press: () => void;
}

/** One verb of a menu; one that is off keeps its place and says why when it is pressed. */
export function Verb({ id, text, title, caps, off, press }: VerbProps) {
  return (
    <button
      type="button"
      role="menuitem"
      title={title}
      aria-disabled={off || undefined}
      data-testid={`toolbar-${id}`}
      onClick={press}
    >
      {text}
      {caps && <kbd aria-hidden="true">{caps}</kbd>}
    </button>
  );
}

/** The verb of an action. */
export function ActionVerb({ action, close }: { action: Action; close: () => void }) {
  const context: Context = { ...useBench(), root: null };
  const enabled = isEnabled(action, context);
  const press = () => {
    close();
    if (enabled) action.perform(context);
    else context.editor.notify(`${whyNot(action, context)}.`);
  };
  return (
    <Verb
      id={action.name}
      text={buttonText(action, context)}
      title={titleOf(action, context)}
      caps={menuCaps(action)}
      off={!enabled}
      press={press}
    />
  );
}
