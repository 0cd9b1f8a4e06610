/** Where a wire that is drawn by hand may end: on a port, on a block, between, or on nothing. */

import { type Connection, type FinalConnectionState, type OnConnectStartParams, useReactFlow } from "@xyflow/react";
import { markPorts, skipsBlocks, unmarkPorts } from "../flow/connectionTarget";
import { type AnyFlow, asEdge, type WireFlow } from "../flow/elements";
import { snap, type Surface, type Touch } from "../flow/surface";
import type { Edge } from "../model/drawing";
import { sizeOf, WIDTH } from "../model/geometry";
import { connect, reconnect } from "../store/editCommands";
import { fitsButForShape, refusal } from "../store/wireChecks";
import { outputFor, residualWire } from "../store/wireCommands";
import { useBench } from "./useEditor";

/** React Flow's handlers for wires. */
export function useConnect(surface: Surface) {
  const { editor } = useBench();
  const flow = useReactFlow<AnyFlow, WireFlow>();

  /** A wire dropped on a block's body goes to its first free input, or comes from its output. */
  const onConnectEnd = (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
    unmarkPorts(surface.ref.current);
    const touch = "changedTouches" in event ? event.changedTouches[0] : event;
    if (surface.cancelled || state.isValid || !state.fromHandle || !touch) return;
    const { nodeId, id: handle, type } = state.fromHandle;
    const id = surface.nodeUnder(touch),
      port = handle ?? "";
    if (id === nodeId) return;
    if (!id) overVoid(touch, nodeId, port, type);
    else if (type === "target") fromBlock(id, nodeId, port);
    else
      intoBlock(touch, {
        source: nodeId,
        sourcePort: port,
        target: id,
        targetPort: state.toHandle?.id ?? editor.ports().freeInput(id) ?? "",
      });
  };

  const intoBlock = (touch: Touch, edge: Edge) => {
    if (edge.targetPort && fitsButForShape(editor, edge)) offerBetween(touch, edge);
    else if (edge.targetPort) connect(editor, edge);
    else if (!offerResidual(touch, edge)) {
      editor.notify(`All inputs of ${edge.target} have a wire. Drop the wire on the one to replace.`, "error");
    }
  };

  const fromBlock = (source: string, target: string, targetPort: string) => {
    const sourcePort = outputFor(editor, source, target, targetPort);
    if (sourcePort) connect(editor, { source, sourcePort, target, targetPort });
    else editor.notify(`${source} has no output for ${target}.${targetPort}.`, "error");
  };

  /** A wire dropped on nothing asks which block is to take it, or, drawn backwards, to feed it. */
  const overVoid = (touch: Touch, node: string, port: string, type: "source" | "target") => {
    if (!surface.under(touch.clientX, touch.clientY, ".react-flow__pane")) return;
    const { x, y } = flow.screenToFlowPosition({ x: touch.clientX, y: touch.clientY });
    const down = editor.state.direction === "down",
      back = type === "target";
    const at: [number, number] = down
      ? [snap(x - WIDTH / 2), snap(back ? y - sizeOf([], [], "down").height : y)]
      : [snap(back ? x - WIDTH : x), snap(y - 36)];
    const place = { ...surface.spot(touch), at };
    editor.set({
      overlay: back ? { kind: "front", ...place, target: node, port } : { kind: "drop", ...place, source: node, port },
    });
  };

  /** A wire whose dtype or dimensions do not fit: which block is to stand between? */
  const offerBetween = (touch: Touch, edge: Edge) => {
    const { source, sourcePort: port, target, targetPort } = edge;
    const { layout } = editor.state.drawing;
    const a = layout[source] ?? [0, 0],
      b = layout[target] ?? [0, 0];
    const into = { target, targetPort, why: refusal(editor, edge) };
    const at: [number, number] = [snap((a[0] + b[0]) / 2), snap((a[1] + b[1]) / 2)];
    editor.set({ overlay: { kind: "drop", ...surface.spot(touch), at, source, port, into } });
  };

  /** A wire to a block that is fed already: add both, or take the new one instead? */
  const offerResidual = (touch: Touch, { source, sourcePort: port, target }: Edge) => {
    if (!residualWire(editor, source, port, target)) return false;
    editor.set({ overlay: { kind: "residual", ...surface.spot(touch), source, port, target } });
    return true;
  };

  /** A wire that ends on a port replaces the one there; one that skips blocks may join it instead. */
  const onConnect = (c: Connection) => {
    if (surface.cancelled) return;
    const edge = asEdge(c);
    if (skipsBlocks(editor, edge) && offerResidual(surface.latest, edge)) return;
    connect(editor, edge);
  };

  const start = (_: unknown, from: OnConnectStartParams) => markPorts(surface.ref.current, editor, from);
  return {
    onConnect,
    onConnectEnd,
    onConnectStart: start,
    onClickConnectStart: start,
    onClickConnectEnd: () => unmarkPorts(surface.ref.current),
    isValidConnection: (c: Connection | WireFlow) => refusal(editor, asEdge(c)) === "",
    onReconnect: (old: WireFlow, c: Connection) =>
      old.data && !surface.cancelled && reconnect(editor, old.data.edge, asEdge(c)),
  };
}
