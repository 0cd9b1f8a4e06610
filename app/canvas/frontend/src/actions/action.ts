/** An action: one verb of the canvas, from which menus, the toolbar, the list of keys and the keyboard derive. */

import type { Bench } from "../store/bench";
import { caps, type Keys } from "./keys";

/** What an action acts on. */
export interface Context extends Bench {
  /** The workbench, for where the focus goes. */
  root: HTMLElement | null;
  /** The place of the drawing that its menu was opened on; undefined elsewhere. */
  at?: readonly [number, number];
}

type Text = string | ((context: Context) => string);

export interface Action {
  /** Its id in menus and on the toolbar. */
  name: string;
  /** In a menu. */
  label?: Text;
  /** On a button; the key is added to it. */
  title?: Text;
  /** The keys that carry it out; the first is the one that is shown. */
  keys?: readonly Keys[];
  /** Whether the keys hold in a field, too. */
  whileTyping?: true;
  /** Whether a button can be pressed, or a menu lists it; to its key `perform` has an answer all the same. */
  enabled?: (context: Context) => boolean;
  /** Whether a part that may be left out carries it out; it is offered where the server has that part. */
  optional?: true;
  /** Why it cannot be carried out now, for a button that is off. */
  why?: Text;
  /** Whether a menu lists it, where that is less often. */
  inMenu?: (context: Context) => boolean;
  perform: (context: Context) => void;
}

const written = (text: Text | undefined, context: Context): string =>
  typeof text === "function" ? text(context) : (text ?? "");

/** Whether this workbench can carry it out at all. */
export const isHere = ({ optional, name }: Action, acts: readonly string[]): boolean =>
  !optional || acts.includes(name);

export const isEnabled = (action: Action, context: Context): boolean =>
  isHere(action, context.editor.state.acts) && (!action.enabled || action.enabled(context));

export const isInMenu = (action: Action, context: Context): boolean =>
  isEnabled(action, context) && (!action.inMenu || action.inMenu(context));

export const labelOf = ({ label }: Action, context: Context): string => written(label, context);

/** What a button says, without its key. */
export const buttonText = ({ title }: Action, context: Context): string => written(title, context);

/** The caps of its first key; none for an action without keys. */
export const capsOf = ({ keys }: Action): string[] => (keys?.[0] ? caps(keys[0]) : []);

/** Why a button is off; "" while it can be pressed. */
export const whyNot = (action: Action, context: Context): string =>
  isEnabled(action, context) ? "" : written(action.why, context);

/** What a button says: "Undo (Ctrl+Z)", and while it is off "Undo (Ctrl+Z): nothing to undo". */
export function titleOf(action: Action, context: Context): string {
  const keys = capsOf(action),
    why = whyNot(action, context);
  return `${written(action.title, context)}${keys.length ? ` (${keys.join("+")})` : ""}${why && `: ${why}`}`;
}
