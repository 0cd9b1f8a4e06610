/** What is known about wires while they are drawn: only what the report says, never an estimate. */

import type { Edge } from "../model/drawing";
import { ancestors, connectProblem } from "../model/graph";
import type { Signature } from "../protocol";
import type { Editor } from "./editor";

/** What leaves an output, if the report is about the drawing as it is now. */
export function signatureAt(editor: Editor, source: string, port: string): Signature | undefined {
  const { annRev, semRev, annotations, path } = editor.state;
  return annRev >= semRev ? annotations.nodes[path + source]?.outputs?.[port] : undefined;
}

/** Why a wire cannot be drawn, by kind, dtype, dimensions and loops; "" when it can. */
export function refusal(editor: Editor, edge: Edge): string {
  const { graph } = editor.state.drawing;
  return connectProblem(graph, edge, editor.ports(), signatureAt(editor, edge.source, edge.sourcePort));
}

/** Whether only what the analysis saw on the wire speaks against it: a block between may help. */
export function fitsButForShape(editor: Editor, edge: Edge): boolean {
  return refusal(editor, edge) !== "" && connectProblem(editor.state.drawing.graph, edge, editor.ports()) === "";
}

/** The wire that a new one would take the place of. */
export function replacedWire(editor: Editor, edge: Edge): Edge | undefined {
  const same = (e: Edge) => e.target === edge.target && e.targetPort === edge.targetPort;
  const old = editor.state.drawing.graph.edges.find(same);
  return old && (old.source !== edge.source || old.sourcePort !== edge.sourcePort) ? old : undefined;
}

type End = readonly [node: string, port: string];

/** Tells for many ports at once whether a wire from (or into) one end can go there. */
export function compatibilityTest(editor: Editor, [id, port]: End, from: "source" | "target"): (other: End) => boolean {
  const { graph } = editor.state.drawing;
  const ports = editor.ports();
  const before = new Map<string, Set<string>>();
  return ([node, name]) => {
    const [source, sourcePort, target, targetPort] =
      from === "source" ? [id, port, node, name] : [node, name, id, port];
    if (!before.has(source)) before.set(source, ancestors(graph, source));
    const edge = { source, sourcePort, target, targetPort };
    return connectProblem(graph, edge, ports, signatureAt(editor, source, sourcePort), before.get(source)) === "";
  };
}
