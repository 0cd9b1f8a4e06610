/** While a wire is drawn: ports that cannot take it step back, and the pointer says what would happen. */

import type { OnConnectStart } from "@xyflow/react";
import type { Edge } from "../model/drawing";
import { WIDTH } from "../model/geometry";
import { ancestors } from "../model/graph";
import { cardSize } from "../model/cardSize";
import type { Editor } from "../store/editor";
import { compatibilityTest, refusal, replacedWire } from "../store/wireChecks";
import { outputFor, residualWire } from "../store/wireCommands";

type Started = Parameters<OnConnectStart>[1];

/** Mark the ports on screen that cannot take this wire. */
export function markPorts(
  surface: HTMLElement | null,
  editor: Editor,
  { nodeId, handleId, handleType }: Started,
): void {
  if (!surface || !nodeId || !handleType) return;
  const fits = compatibilityTest(editor, [nodeId, handleId ?? ""], handleType);
  surface.dataset.wiring = handleType;
  for (const handle of surface.querySelectorAll<HTMLElement>(".react-flow__handle")) {
    const other = handle.classList.contains("source") ? "source" : "target";
    const { nodeid = "", handleid = "" } = handle.dataset;
    if (other === handleType || !fits([nodeid, handleid])) handle.dataset.unfit = "";
  }
}

export function unmarkPorts(surface: HTMLElement | null): void {
  if (!surface) return;
  delete surface.dataset.wiring;
  for (const handle of surface.querySelectorAll<HTMLElement>("[data-unfit]")) delete handle.dataset.unfit;
}

/** Whether the new wire skips blocks that the old one comes through: then adding both is offered. */
export function skipsBlocks(editor: Editor, edge: Edge): boolean {
  const old = replacedWire(editor, edge);
  const alone = editor.ports().inputs(edge.target).length === 1;
  if (!old || !alone || !ancestors(editor.state.drawing.graph, old.source).has(edge.source)) return false;
  return residualWire(editor, edge.source, edge.sourcePort, edge.target) !== null;
}

export interface Feedback {
  text: string;
  tone: "bad" | "note" | "";
}

const NOTHING: Feedback = { text: "", tone: "" };

/** What a wire would do that ends on this port. */
export function feedbackAtPort(editor: Editor, edge: Edge): Feedback {
  const reason = refusal(editor, edge);
  if (reason) return { text: reason, tone: "bad" };
  const old = replacedWire(editor, edge);
  if (!old) return NOTHING;
  const text = skipsBlocks(editor, edge)
    ? `add to the wire from ${old.source}, or replace it`
    : `replaces the wire from ${old.source}`;
  return { text, tone: "note" };
}

/** What a wire from an output would do that is dropped on the body of the block there. */
export function feedbackAtBlock(editor: Editor, source: string, port: string, x: number, y: number): Feedback {
  const target = blockAt(editor, x, y);
  if (!target || target === source) return NOTHING;
  const targetPort = editor.ports().freeInput(target);
  if (targetPort !== undefined) {
    const reason = refusal(editor, { source, sourcePort: port, target, targetPort });
    return reason ? { text: reason, tone: "bad" } : { text: `into ${target}.${targetPort}`, tone: "note" };
  }
  if (residualWire(editor, source, port, target))
    return { text: `add to what enters ${target}, or replace it`, tone: "note" };
  return { text: `All inputs of ${target} have a wire.`, tone: "bad" };
}

/** What a wire drawn backwards from an input would do that is dropped on the body of the block there. */
export function feedbackFromBlock(editor: Editor, target: string, port: string, x: number, y: number): Feedback {
  const source = blockAt(editor, x, y);
  if (!source || source === target) return NOTHING;
  const name = outputFor(editor, source, target, port);
  if (name) return feedbackAtPort(editor, { source, sourcePort: name, target, targetPort: port });
  return { text: `${source} has no output for ${target}.${port}.`, tone: "bad" };
}

/** Where the data flow down, no card is taller. */
const TALLEST = 120;

function blockAt(editor: Editor, x: number, y: number): string {
  const {
    drawing: { layout },
    direction,
  } = editor.state;
  const ports = editor.ports();
  return (
    Object.keys(layout).find((id) => {
      const [left, top] = layout[id] as [number, number];
      const beyond = direction === "right" ? x > left + WIDTH : y > top + TALLEST;
      if (x < left || y < top || beyond || !Object.hasOwn(ports.graph.nodes, id)) return false;
      const { width, height } = cardSize(ports, id, direction);
      return x <= left + width && y <= top + height;
    }) ?? ""
  );
}
