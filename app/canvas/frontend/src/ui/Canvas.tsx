/** The drawing surface: React Flow, controlled from our own store. */

import {
  Background, BackgroundVariant, type Connection, Controls, type EdgeChange, type FinalConnectionState,
  type NodeChange, type OnConnectStartParams, ReactFlow, SelectionMode, useReactFlow,
} from "@xyflow/react";
import { type DragEvent, type MouseEvent as ReactMouseEvent, useRef, useState } from "react";
import { GRID, WIDTH } from "../model/geometry";
import { type Edge, edgeId } from "../model/graph";
import { isNoteId } from "../model/remarks";
import { openNode } from "../store/compose";
import { residualWire } from "../store/draw";
import { addAt, connect, insertAt, move, reconnect } from "../store/verbs";
import { fitsButForShape, refusal } from "../store/wiring";
import { BlockNode } from "./BlockNode";
import { useBench, useEditor } from "./context";
import { type AnyFlow, asEdge, FlowEdges, FlowNodes, FlowNotes, type Places, type WireFlow } from "./flow";
import { NoteNode } from "./NoteNode";
import { FIT, useView } from "./view";
import { DrawingMap } from "./DrawingMap";
import { DrawnWire } from "./DrawnWire";
import { FixGhost } from "./FixGhost";
import { useStable } from "./stable";
import { Wire } from "./Wire";
import { markPorts, skips, unmarkPorts } from "./wiring";

export const DRAG_TYPE = "application/x-layerloom-block";
const NODE_TYPES = { block: BlockNode, note: NoteNode };
const EDGE_TYPES = { wire: Wire };
const STILL: Places = {};
const SNAP: [number, number] = [GRID, GRID];
const SEVERAL = ["Meta", "Control"];
const MANY = 150;
const NEAR = [[0, 0], [0, -14], [0, 14], [-14, 0], [14, 0], [-10, -10], [10, 10], [10, -10], [-10, 10]] as const;
const SPOKEN = {
  "node.a11yDescription.default": "Arrow keys go along the wires, with Shift they move the block. Enter opens its settings or, if it is a composite, what is inside, Delete deletes it, question mark lists all keys.",
  "node.a11yDescription.keyboardDisabled": "Arrow keys go along the wires. Enter opens the settings.",
  "edge.a11yDescription.default": "Enter selects the wire, Delete deletes it.",
};

export function Canvas() {
  const { editor } = useBench();
  const drawing = useEditor((s) => s.drawing);
  const catalogue = useEditor((s) => s.catalogue);
  const direction = useEditor((s) => s.direction);
  const chosenNodes = useEditor((s) => s.nodes);
  const chosenEdges = useEditor((s) => s.edges);
  const [moved, setMoved] = useState<Places>(STILL);
  const flow = useReactFlow<AnyFlow, WireFlow>();
  const chosenNotes = useEditor((s) => s.noteIds);
  const makeNodes = useRef(new FlowNodes()), makeEdges = useRef(new FlowEdges()), makeNotes = useRef(new FlowNotes());
  const ports = editor.ports();
  const blocks = makeNodes.current.build(drawing, ports, direction, chosenNodes, moved);
  const notes = makeNotes.current.build(drawing, chosenNotes, moved);
  const nodes: AnyFlow[] = notes.length ? [...blocks, ...notes] : blocks;
  const edges = makeEdges.current.build(drawing.graph.edges, chosenEdges);
  useView();

  const onNodesChange = (changes: NodeChange<AnyFlow>[]) => {
    const chosen = new Set(editor.state.nodes), chosenToo = new Set(editor.state.noteIds);
    let picked = false;
    const places: Record<string, { x: number; y: number }> = {};
    let dragging = false;
    for (const change of changes) {
      if (change.type === "select") {
        picked = true;
        const list = isNoteId(change.id) ? chosenToo : chosen;
        if (change.selected) list.add(change.id);
        else list.delete(change.id);
      } else if (change.type === "position" && change.position) {
        places[change.id] = change.position;
        dragging ||= change.dragging === true;
      } else if (change.type === "dimensions" && change.resizing && change.dimensions) {
        const { id, dimensions } = change;
        setMoved((old) => ({ ...old, [id]: { ...(places[id] ?? old[id] ?? at(id)), ...dimensions } }));
        delete places[id];
      }
    }
    if (picked) editor.set({ nodes: chosen, noteIds: chosenToo });
    if (!Object.keys(places).length) return;
    if (dragging) setMoved((old) => ({ ...old, ...places }));
    else {
      setMoved(STILL);
      const layout = Object.fromEntries(Object.entries(places).map(([id, p]) => [id, [p.x, p.y] as [number, number]]));
      if (differs(layout)) move(editor, layout, "nudge");
    }
  };

  const at = (id: string) => {
    const { x, y } = flow.getNode(id)?.position ?? { x: 0, y: 0 };
    return { x, y };
  };

  const differs = (places: Record<string, [number, number]>) =>
    Object.entries(places).some(([id, [x, y]]) => {
      const { layout, notes } = editor.state.drawing;
      const old = isNoteId(id) ? notes.find((n) => n.id === id)?.at : layout[id];
      return !old || old[0] !== x || old[1] !== y;
    });

  const onEdgesChange = (changes: EdgeChange<WireFlow>[]) => {
    const chosen = new Set(editor.state.edges);
    for (const change of changes) {
      if (change.type !== "select") continue;
      if (change.selected) chosen.add(change.id);
      else chosen.delete(change.id);
    }
    editor.set({ edges: chosen });
  };

  const isValid = (c: Connection | WireFlow) =>
    refusal(editor, asEdge(c)) === "";

  /** A wire dropped on a block's body goes to its first free input. */
  const onConnectEnd = (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
    unmarkPorts(surface.current);
    if (state.isValid || state.fromHandle?.type !== "source") return;
    const touch = "changedTouches" in event ? event.changedTouches[0] : event;
    if (!touch) return;
    const { nodeId: source, id: handle } = state.fromHandle;
    const id = nodeUnder(touch.clientX, touch.clientY), port = handle ?? "";
    if (id === source) return;
    if (!id) return overVoid(touch, source, port);
    const targetPort = state.toHandle?.id ?? editor.ports().freeInput(id);
    const edge = { source, sourcePort: port, target: id, targetPort: targetPort ?? "" };
    if (targetPort && fitsButForShape(editor, edge)) offerBetween(touch, edge);
    else if (targetPort) connect(editor, edge);
    else if (!offerResidual(touch, source, port, id)) {
      editor.say(`All inputs of ${id} have a wire. Drop the wire on the one to replace.`, "error");
    }
  };

  /** A wire dropped on nothing asks which block is to take it. */
  const overVoid = (touch: { clientX: number; clientY: number }, source: string, port: string) => {
    if (!under(touch.clientX, touch.clientY, ".react-flow__pane")) return;
    const { x, y } = flow.screenToFlowPosition({ x: touch.clientX, y: touch.clientY });
    const at: [number, number] = direction === "down" ? [snap(x - WIDTH / 2), snap(y)] : [snap(x), snap(y - 36)];
    editor.set({ overlay: { kind: "drop", ...spot(touch.clientX, touch.clientY), at, source, port } });
  };

  /** A wire whose dtype or dimensions do not fit: which block is to stand between? */
  const offerBetween = (touch: { clientX: number; clientY: number }, { source, sourcePort: port, target, targetPort }: Edge) => {
    const { layout } = editor.state.drawing;
    const a = layout[source] ?? [0, 0], b = layout[target] ?? [0, 0];
    const into = { target, targetPort, why: refusal(editor, { source, sourcePort: port, target, targetPort }) };
    const at: [number, number] = [snap((a[0] + b[0]) / 2), snap((a[1] + b[1]) / 2)];
    editor.set({ overlay: { kind: "drop", ...spot(touch.clientX, touch.clientY), at, source, port, into } });
  };

  /** A wire to a block that is fed already: add both, or take the new one instead? */
  const offerResidual = (touch: { clientX: number; clientY: number }, source: string, port: string, target: string) => {
    if (!residualWire(editor, source, port, target)) return false;
    editor.set({ overlay: { kind: "residual", ...spot(touch.clientX, touch.clientY), source, port, target } });
    return true;
  };

  const latest = useRef({ x: 0, y: 0 });
  /** A wire that ends on a port replaces the one there; one that skips blocks may join it instead. */
  const onConnect = (c: Connection) => {
    const edge = asEdge(c);
    const touch = { clientX: latest.current.x, clientY: latest.current.y };
    if (skips(editor, edge) && offerResidual(touch, edge.source, edge.sourcePort, edge.target)) return;
    connect(editor, edge);
  };

  const surface = useRef<HTMLDivElement>(null), marked = useRef<Element>(undefined);
  const under = (x: number, y: number, selector: string) => {
    const root = surface.current?.getRootNode() as Document | ShadowRoot;
    return root.elementsFromPoint(x, y).map((e) => e.closest(selector)).find(Boolean);
  };
  /** The wire at a place or a finger's breadth from it. */
  const wireUnder = (x: number, y: number) => {
    for (const [dx, dy] of NEAR) {
      const found = under(x + dx, y + dy, ".react-flow__edge");
      if (found) return found;
    }
    return undefined;
  };
  /** Show which wire a dragged block would be put on. */
  const mark = (wire: Element | undefined) => {
    if (wire === marked.current) return;
    marked.current?.removeAttribute("data-drop");
    wire?.setAttribute("data-drop", "");
    marked.current = wire;
  };
  const nodeUnder = (x: number, y: number) => under(x, y, ".react-flow__node")?.getAttribute("data-id");

  const menu = (event: MouseEvent | ReactMouseEvent, id = "") => {
    event.preventDefault();
    const { nodes: chosen, noteIds } = editor.state;
    if (id && !chosen.has(id) && !noteIds.has(id)) isNoteId(id) ? editor.select([], [], [id]) : editor.select([id]);
    editor.set({ overlay: { kind: "menu", ...spot(event.clientX, event.clientY) } });
  };
  const menuOfPlace = (event: MouseEvent | ReactMouseEvent) => {
    event.preventDefault();
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    editor.set({ overlay: { kind: "menu", ...spot(event.clientX, event.clientY), at: [snap(x), snap(y)] } });
  };
  /** A place over the canvas, so far from its lower right corner that a small menu fits. */
  const spot = (x: number, y: number) => {
    const box = surface.current?.getBoundingClientRect() ?? new DOMRect();
    return { x: Math.min(x - box.left, box.width - 280), y: Math.min(y - box.top, box.height - 340) };
  };

  const onDrop = (event: DragEvent) => {
    const block = event.dataTransfer.getData(DRAG_TYPE);
    const own = Object.hasOwn(drawing.graph.composites ?? {}, block);
    if (!block || !(own || catalogue.block(block))) return;
    event.preventDefault();
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const at = [snap(x - WIDTH / 2), snap(y - 36)] as const;
    const wire = wireUnder(event.clientX, event.clientY)?.getAttribute("data-id");
    const edge = wire ? drawing.graph.edges.find((e) => edgeId(e) === wire) : undefined;
    mark(undefined);
    const spec = catalogue.block(block);
    if (edge && (own || (spec?.inputs.length && spec.outputs.length))) insertAt(editor, block, edge, at);
    else addAt(editor, block, at);
    surface.current?.closest<HTMLElement>(".loom")?.focus({ preventScroll: true });
  };

  const on = useStable({
    onNodesChange, onEdgesChange, onConnect, onConnectEnd, isValidConnection: isValid, onPaneContextMenu: menuOfPlace,
    onConnectStart: (_: unknown, start: OnConnectStartParams) => markPorts(surface.current, editor, start),
    onClickConnectStart: (_: unknown, start: OnConnectStartParams) => markPorts(surface.current, editor, start),
    onClickConnectEnd: () => unmarkPorts(surface.current),
    onNodeDoubleClick: (_: ReactMouseEvent, node: AnyFlow) => openNode(editor, node.id),
    onNodeContextMenu: (e: ReactMouseEvent, node: AnyFlow) => menu(e, node.id),
    onSelectionContextMenu: (e: ReactMouseEvent) => menu(e),
    onReconnect: (old: WireFlow, c: Connection) => old.data && reconnect(editor, old.data.edge, asEdge(c)),
  });

  return (
    <div className="canvas" ref={surface} data-testid="canvas" onDrop={onDrop}
      onPointerUpCapture={(e) => { latest.current = { x: e.clientX, y: e.clientY }; }}
      onDragOver={(e) => {
        e.preventDefault();
        e.dataTransfer.dropEffect = "copy";
        mark(wireUnder(e.clientX, e.clientY));
      }}
      onDragLeave={() => mark(undefined)}>
      <ReactFlow
        nodes={nodes} edges={edges} nodeTypes={NODE_TYPES} edgeTypes={EDGE_TYPES}
        {...on}
        connectionLineComponent={DrawnWire} connectionRadius={30} connectOnClick
        snapToGrid snapGrid={SNAP} selectionMode={SelectionMode.Partial}
        onlyRenderVisibleElements={nodes.length > MANY} elevateNodesOnSelect
        deleteKeyCode={null} minZoom={0.03} maxZoom={2} nodeDragThreshold={2}
        ariaLabelConfig={SPOKEN} zoomOnDoubleClick={false} multiSelectionKeyCode={SEVERAL}
      >
        <FixGhost />
        <Background variant={BackgroundVariant.Dots} gap={24} size={1.2} />
        <Controls showInteractive={false} fitViewOptions={FIT} position="bottom-left" orientation="horizontal" />
        {nodes.length > 0 && <DrawingMap />}
      </ReactFlow>
    </div>
  );
}

const snap = (value: number) => Math.round(value / GRID) * GRID;
