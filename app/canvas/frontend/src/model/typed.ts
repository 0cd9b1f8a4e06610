/** What is typed to add a block: "conv2d 16 3" has its settings in it, "add relu1" a wire more. */

import type { NodeJson, Settings, SettingSpec } from "../protocol";
import { parseValue } from "./values";

export interface Words {
  /** What is searched for. */
  query: string;
  /** What follows: numbers, name=value, ids of blocks. */
  more: readonly string[];
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([x×,][+-]?\d+)*$/;
const NAMED = /^[A-Za-z_]\w*=/;

/** Part a text where the first word stands that is a value or the id of a block. */
export function wordsOf(text: string, nodes: Readonly<Record<string, NodeJson>>): Words {
  const words = text.trim().split(/\s+/).filter(Boolean);
  const value = (word: string) => NUMBER.test(word) || NAMED.test(word) || Object.hasOwn(nodes, word);
  const start = words.findIndex((word, i) => i > 0 && value(word));
  if (start < 0) return { query: words.join(" "), more: [] };
  return { query: words.slice(0, start).join(" "), more: words.slice(start) };
}

export interface Extras {
  settings: Settings;
  /** Ids of the blocks whose outputs go into the next inputs. */
  from: readonly string[];
  /** Why it cannot be done; "" when it can. */
  trouble: string;
}

export const NO_EXTRAS: Extras = { settings: {}, from: [], trouble: "" };

/** Values in the order in which torch's constructor takes them (sizes that wires decide left out), names, ids. */
export function extrasOf(block: string, specs: readonly SettingSpec[], more: readonly string[]): Extras {
  const free = specs.filter(
    (spec) => !spec.inferred && spec.kind !== "bool" && spec.kind !== "choice" && spec.kind !== "text",
  );
  const settings: Settings = {},
    from: string[] = [];
  const fail = (trouble: string): Extras => ({ settings: {}, from: [], trouble });
  for (let i = 0; i < more.length; i++) {
    let word = more[i] as string,
      spec: SettingSpec | undefined;
    if (NUMBER.test(word)) {
      spec = free.shift();
      if (!spec) return fail(`${block} takes no further number: ${word}.`);
      if (spec.kind === "dims") while (NUMBER.test(more[i + 1] ?? "")) word += ` ${more[++i]}`;
    } else if (NAMED.test(word)) {
      const name = word.slice(0, word.indexOf("="));
      word = word.slice(name.length + 1);
      spec = specs.find((s) => s.name === name) ?? specs.find((s) => s.name.startsWith(name));
      if (!spec) return fail(`${block} has no setting ${name}.`);
    } else {
      from.push(word);
      continue;
    }
    const parsed = parseValue(spec, word);
    if ("error" in parsed) return fail(`${spec.name}: ${parsed.error}`);
    if ("value" in parsed) settings[spec.name] = parsed.value;
  }
  return { settings, from, trouble: "" };
}
