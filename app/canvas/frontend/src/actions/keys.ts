/** Keys: which event is one, and how it is written. */

/** `key` as the event says it; with Alt by its place, for there a letter may be another character. */
export interface Keys {
  key: string;
  /** Ctrl, or Cmd. */
  mod?: boolean;
  alt?: boolean;
  shift?: boolean;
}

export type Pressed = Pick<globalThis.KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** Whether an event is this key. Without Ctrl or Alt a letter itself says whether Shift is held. */
export function isPressed({ key, mod = false, alt = false, shift = false }: Keys, event: Pressed): boolean {
  if ((event.ctrlKey || event.metaKey) !== mod || event.altKey !== alt) return false;
  if (alt) return event.code === key && event.shiftKey === shift;
  if (key.length > 1) return event.key === key && event.shiftKey === shift;
  return mod ? event.key.toLowerCase() === key.toLowerCase() && event.shiftKey === shift : event.key === key;
}

/** Ctrl or Cmd, as written on this computer's keyboard. */
export const MOD = /Mac|iP(hone|ad)/.test(globalThis.navigator?.platform ?? "") ? "⌘" : "Ctrl";

const NAMES: Record<string, string> = { Escape: "Esc" };

/** A key as its caps: ["Ctrl", "Shift", "Z"]. */
export function caps({ key, mod, alt, shift }: Keys): string[] {
  const letter = alt ? key.replace("Key", "") : key;
  const upper = !mod && !alt && letter.length === 1 && letter !== letter.toLowerCase();
  const name = NAMES[letter] ?? (letter.length === 1 ? letter.toUpperCase() : letter);
  return [...(mod ? [MOD] : []), ...(alt ? ["Alt"] : []), ...(shift || upper ? ["Shift"] : []), name];
}
