/** One layer used twice: a node that uses the weights of another, or has its own again. */

import * as g from "../model/graph";
import { freePlace } from "../model/layout";
import { freshId, stem } from "../model/names";
import { Ports } from "../model/ports";
import { compositesOf } from "../model/scope";
import type { NodeJson } from "../protocol";
import type { Editor } from "./editor";

/** Whether a block has weights to share: the report counts some, or it is a composite. */
export function canShare(editor: Editor, id: string): boolean {
  const {
    drawing: { graph },
    annotations,
    path,
  } = editor.state;
  const node = graph.nodes[id];
  if (!node) return false;
  const owner = node.weights_of ?? id;
  return (
    (annotations.nodes[path + owner]?.params ?? 0) > 0 || Object.hasOwn(compositesOf(graph), g.blockName(graph, id))
  );
}

/** Blocks whose weights this one could use: of the same kind, with weights of their own. */
export function owners(editor: Editor, id: string): string[] {
  const { graph } = editor.state.drawing;
  const block = g.blockName(graph, id);
  return Object.entries(graph.nodes)
    .filter(([other, n]) => other !== id && n.block === block && !n.weights_of)
    .map(([other]) => other);
}

/** Put another use of the same weights beside a block, wired to nothing yet. */
export function shareWeights(editor: Editor, id: string): boolean {
  const { drawing, direction, catalogue } = editor.state;
  const owner = drawing.graph.nodes[id]?.weights_of ?? id;
  const name = freshId(stem(g.blockName(drawing.graph, id), catalogue), catalogue, drawing.graph.nodes);
  const graph = g.addNode(drawing.graph, name, { weights_of: owner }, id);
  const place = freePlace(new Ports(catalogue, graph), drawing.layout, name, drawing.layout[id] ?? [0, 0], direction);
  const done = editor.attempt((d) => ({ ...d, graph, layout: { ...d.layout, [name]: place } }));
  if (!done) return false;
  editor.select([name]);
  editor.lookAt([name]);
  editor.notify(`${name} uses the weights of ${owner}: both are trained together.`);
  return true;
}

/** Use the weights of another block from now on; those that used this one's follow. */
export function takeWeightsOf(editor: Editor, id: string, owner: string): boolean {
  return editor.attempt((d) => {
    const node = d.graph.nodes[id];
    if (!node || !owners(editor, id).includes(owner))
      throw new g.Refused(`${id} cannot use the weights of ${owner}: they are different blocks.`);
    const { block: _, settings: __, repeat: ___, weights_of: ____, ...kept } = node;
    const nodes = Object.entries(d.graph.nodes).map(([name, n]): [string, NodeJson] => {
      if (name === id) return [name, { ...g.unmarked(kept), weights_of: owner }];
      return [name, n.weights_of === id ? { ...n, weights_of: owner } : n];
    });
    return { ...d, graph: { ...d.graph, nodes: Object.fromEntries(nodes) } };
  });
}

/** Give a block weights of its own again, with the settings of the one it shared with. */
export function ownWeights(editor: Editor, id: string): boolean {
  return editor.attempt((d) => {
    const node = d.graph.nodes[id],
      owner = d.graph.nodes[node?.weights_of ?? ""];
    if (!node || !owner?.block) throw new g.Refused(`${id} shares no weights.`);
    const { weights_of: _, ...kept } = node;
    const own = { block: owner.block, ...(owner.settings ? { settings: owner.settings } : {}) };
    return { ...d, graph: g.setNode(d.graph, id, { ...own, ...kept }) };
  });
}
