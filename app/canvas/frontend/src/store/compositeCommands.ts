/** The verbs of composites, each one undo step. */

import type { Drawing } from "../model/drawing";
import { isExpression, namesIn, renameIn } from "../model/expression";
import * as g from "../model/graph";
import { freshName, group, nameProblem } from "../model/group";
import { completed, tidy } from "../model/layout";
import { pushApartAll } from "../model/pushApart";
import { compositesOf, opened, uses } from "../model/scope";
import { ungroup } from "../model/ungroup";
import type { CompositeJson, Json, NodeJson, Settings } from "../protocol";
import type { Editor } from "./editor";
import { isNeat } from "./insertCommands";

/** The composite that is open; "" for the whole network. */
export function openName(editor: Editor): string {
  return opened(editor.state.whole.graph, editor.state.scope);
}

/** Settings that expressions may use where the canvas is now; null in the whole network. */
export function env(editor: Editor): Settings | null {
  const name = openName(editor);
  return name ? (compositesOf(editor.state.whole.graph)[name]?.settings ?? {}) : null;
}

export function suggestedName(editor: Editor): string {
  const { drawing, catalogue } = editor.state;
  return freshName("Block", drawing.graph, catalogue);
}

export function groupSelected(editor: Editor, name: string): boolean {
  const { selectedNodes, direction, catalogue } = editor.state;
  let id = "";
  const done = editor.attempt((d) => {
    const made = group(d, selectedNodes, name, env(editor) ?? {}, direction, catalogue);
    id = made.id;
    return made.drawing;
  });
  if (!done) return false;
  editor.select([id]);
  editor.notify(`${name} is a block of your own now. Double-click it to open it.`);
  return true;
}

export function isComposite(editor: Editor, id: string): boolean {
  const { graph } = editor.state.drawing;
  return Object.hasOwn(compositesOf(graph), g.blockName(graph, id));
}

/** Whether a block is drawn: a composite that holds blocks, where a custom one holds Python. */
export function isDrawn(editor: Editor, id: string): boolean {
  const { graph } = editor.state.drawing;
  return isComposite(editor, id) && !compositesOf(graph)[g.blockName(graph, id)]?.python;
}

/** Show what a composite is made of: its blocks, or the code of a custom block. */
export function openNode(editor: Editor, id: string): boolean {
  if (!isComposite(editor, id)) return false;
  if (!isDrawn(editor, id)) {
    editor.onAsk("code", { block: g.blockName(editor.state.drawing.graph, id) });
    return true;
  }
  editor.open([...editor.state.scope, id]);
  return true;
}

/** Leave the open composite; its use is selected then. */
export function closeComposite(editor: Editor): boolean {
  const { scope } = editor.state;
  if (!scope.length) return false;
  editor.open(scope.slice(0, -1));
  return true;
}

/** Put the blocks of a composite in the place of its use; what they would cover makes way. */
export function ungroupNode(editor: Editor, id: string): void {
  const { catalogue, direction } = editor.state;
  let ids: string[] = [];
  const done = editor.attempt((d) => {
    const made = ungroup(d, id, catalogue, direction);
    ids = made.ids;
    if (isNeat(d, editor)) return { ...made.drawing, layout: tidy(made.drawing, direction, catalogue) };
    const whole = completed(made.drawing, direction, catalogue);
    return { ...whole, layout: pushApartAll(d, id, whole, ids, direction, catalogue) };
  });
  if (done) editor.select(ids);
}

/** Give one use a definition of its own, so that the other uses do not follow it any more. */
export function makeIndependent(editor: Editor, id: string): void {
  const { catalogue } = editor.state;
  editor.attempt((d) => {
    const node = d.graph.nodes[id] as NodeJson;
    const composites = compositesOf(d.graph);
    const part = composites[node.block ?? ""];
    if (!part) throw new g.Refused(`${id} has no definition of its own: it uses the weights of ${node.weights_of}.`);
    if (part.python) throw new g.Refused(`${node.block} is a custom block: copy its code under another name instead.`);
    const name = freshName(node.block ?? "", d.graph, catalogue);
    const graph = { ...d.graph, composites: { ...composites, [name]: part } };
    return { ...d, graph: g.setNode(graph, id, { ...node, block: name }) };
  });
}

function change(
  editor: Editor,
  name: string,
  edit: (part: CompositeJson, whole: Drawing) => CompositeJson,
  merge = "",
): boolean {
  return editor.attemptWhole(
    (whole) => {
      const composites = compositesOf(whole.graph);
      const part = composites[name];
      if (!part) throw new g.Refused(`There is no composite ${name}.`);
      return { ...whole, graph: { ...whole.graph, composites: { ...composites, [name]: edit(part, whole) } } };
    },
    merge ? "typing" : "now",
    merge,
  );
}

/** Add a setting to a composite, or change what it is where a use does not say otherwise. */
export function setDefault(editor: Editor, name: string, key: string, value: Json): boolean {
  return change(
    editor,
    name,
    (part) => ({ ...part, settings: { ...part.settings, [key]: value } }),
    `default ${name} ${key}`,
  );
}

/** Why a text cannot be the name of a setting; "" when it can. */
export function settingProblem(text: string, taken: Settings): string {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(text)) return "Start with a small letter, then small letters, digits or _.";
  return Object.hasOwn(taken, text) ? `There is already a setting ${text}.` : "";
}

export function removeDefault(editor: Editor, name: string, key: string): boolean {
  const done = change(editor, name, (part) => {
    const user = Object.entries(part.nodes).find(([, n]) =>
      Object.values(n.settings ?? {}).some((v) => namesIn(v).includes(key)),
    );
    if (user) throw new g.Refused(`${user[0]} uses ${key}: give it a value of its own first.`);
    const { [key]: _, ...settings } = part.settings ?? {};
    return { ...part, settings };
  });
  return done;
}

/** Call a setting otherwise: in the definition, in the expressions that use it, and at every use. */
export function renameDefault(editor: Editor, name: string, from: string, to: string): boolean {
  return editor.attemptWhole((whole) => {
    const composites = compositesOf(whole.graph);
    const reason = settingProblem(to, composites[name]?.settings ?? {});
    if (reason) throw new g.Refused(reason);
    const keys = (settings: Settings): Settings =>
      Object.fromEntries(Object.entries(settings).map(([k, v]) => [k === from ? to : k, v]));
    const atUses = (nodes: Record<string, NodeJson>) =>
      mapNodes(nodes, (n) => (n.block === name && n.settings ? { ...n, settings: keys(n.settings) } : n));
    const parts = Object.entries(composites).map(([other, part]): [string, CompositeJson] => {
      const nodes = atUses(part.nodes);
      if (other !== name) return [other, { ...part, nodes }];
      return [
        other,
        { ...part, settings: keys(part.settings ?? {}), nodes: mapNodes(nodes, (n) => inside(n, from, to)) },
      ];
    });
    return {
      ...whole,
      graph: { ...whole.graph, nodes: atUses(whole.graph.nodes), composites: Object.fromEntries(parts) },
    };
  });
}

function inside(node: NodeJson, from: string, to: string): NodeJson {
  if (!node.settings) return node;
  const settings = Object.entries(node.settings).map(([k, v]) => [k, renameIn(v, from, to)] as const);
  return { ...node, settings: Object.fromEntries(settings) };
}

function mapNodes(nodes: Record<string, NodeJson>, edit: (node: NodeJson) => NodeJson): Record<string, NodeJson> {
  return Object.fromEntries(Object.entries(nodes).map(([id, n]) => [id, edit(n)]));
}

/** Call a composite otherwise, wherever it is used. */
export function renameComposite(editor: Editor, from: string, to: string): boolean {
  return editor.attemptWhole((whole) => {
    const reason = nameProblem(to, whole.graph, editor.state.catalogue);
    if (reason) throw new g.Refused(reason);
    const swap = (nodes: Record<string, NodeJson>) =>
      mapNodes(nodes, (n) => (n.block === from ? { ...n, block: to } : n));
    const parts = Object.entries(compositesOf(whole.graph)).map(
      ([name, part]) => [name === from ? to : name, { ...part, nodes: swap(part.nodes) }] as const,
    );
    return {
      ...whole,
      graph: { ...whole.graph, nodes: swap(whole.graph.nodes), composites: Object.fromEntries(parts) },
    };
  });
}

/** Take the definition of a composite out of the project; only one that nothing uses. */
export function forgetComposite(editor: Editor, name: string): void {
  editor.attemptWhole((whole) => {
    if (uses(whole.graph, name)) throw new g.Refused(`${name} is used in the drawing.`);
    const { [name]: _, ...composites } = compositesOf(whole.graph);
    return { ...whole, graph: { ...whole.graph, composites } };
  });
}

/** Make a number of an inner block a setting of the open composite, with this number as default. */
export function promote(editor: Editor, id: string, key: string): void {
  const name = openName(editor);
  const settings = env(editor);
  const value = editor.state.drawing.graph.nodes[id]?.settings?.[key];
  if (!settings || value === undefined || isExpression(value)) return;
  const to = Object.hasOwn(settings, key) && settings[key] !== value ? `${id}_${key}`.toLowerCase() : key;
  editor.attemptWhole((whole) => {
    const composites = compositesOf(whole.graph);
    const part = composites[name] as CompositeJson;
    const node = part.nodes[id] as NodeJson;
    const nodes = { ...part.nodes, [id]: { ...node, settings: { ...node.settings, [key]: `=${to}` } } };
    const next = { ...part, settings: { ...settings, [to]: value }, nodes };
    return { ...whole, graph: { ...whole.graph, composites: { ...composites, [name]: next } } };
  });
}
