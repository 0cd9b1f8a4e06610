/** The drawing surface: React Flow, controlled from our own store. */

import { Background, BackgroundVariant, ReactFlow, SelectionMode, useReactFlow } from "@xyflow/react";
import { type DragEvent, type MouseEvent as ReactMouseEvent, useRef, useState } from "react";
import { type AnyFlow, FlowEdges, FlowNodes, FlowNotes, type WireFlow } from "../flow/elements";
import { snap, Surface } from "../flow/surface";
import { useCancelDrag } from "../hooks/useCancelDrag";
import { useConnect } from "../hooks/useConnect";
import { useDrag } from "../hooks/useDrag";
import { useBench, useEditor } from "../hooks/useEditor";
import { useFitView } from "../hooks/useFitView";
import { type Tracks, TracksContext } from "../hooks/useLight";
import { LabelContext, useLabelBoard } from "../hooks/useLabelBoard";
import { useOverview } from "../hooks/useOverview";
import { useScrolling } from "../hooks/useScrolling";
import { useStableHandlers } from "../hooks/useStableHandlers";
import { MANY, TinyContext, useTiny } from "../hooks/useTiny";
import type { Edge } from "../model/drawing";
import { GRID, WIDTH } from "../model/geometry";
import { edgeId } from "../model/graph";
import { leastZoom } from "../model/minimap";
import { isNoteId } from "../model/notes";
import { openNode } from "../store/compositeCommands";
import { addAt, insertAt, isKnown } from "../store/editCommands";
import { BlockNode } from "./BlockNode";
import { ConnectionLine } from "./ConnectionLine";
import { EmptyState } from "./EmptyState";
import { FixGhost } from "./FixGhost";
import { Light } from "./Light";
import { Minimap } from "./Minimap";
import { MoreBeyond } from "./MoreBeyond";
import { NoteNode } from "./NoteNode";
import { TinyBlocks } from "./TinyBlocks";
import { TinyWires } from "./TinyWires";
import { Wire } from "./Wire";

export const DRAG_TYPE = "application/x-layerloom-block";
const NODE_TYPES = { block: BlockNode, note: NoteNode };
const EDGE_TYPES = { wire: Wire };
const SNAP: [number, number] = [GRID, GRID];
/** Its makers are named in the list of keys: on the canvas their name would lie over a drawing. */
const CREDIT = { hideAttribution: true };
const SEVERAL = ["Meta", "Control", "Shift"];
const NO_EDGES: readonly Edge[] = [];
const SPOKEN = {
  "node.a11yDescription.default":
    "Arrow keys follow the wires; with Shift they move the block. Enter opens its settings, or the inside of a composite. Delete deletes it. Question mark lists all keys.",
  "node.a11yDescription.keyboardDisabled": "Arrow keys follow the wires. Enter opens the settings.",
  "edge.a11yDescription.default": "Enter selects the wire, Delete deletes it.",
};

export function Canvas() {
  const { editor } = useBench();
  const drawing = useEditor((s) => s.drawing);
  const catalogue = useEditor((s) => s.catalogue);
  const direction = useEditor((s) => s.direction);
  const chosenNodes = useEditor((s) => s.selectedNodes);
  const chosenEdges = useEditor((s) => s.selectedEdges);
  const chosenNotes = useEditor((s) => s.selectedNotes);
  const flow = useReactFlow<AnyFlow, WireFlow>();
  const [surface] = useState(() => new Surface());
  const { moved, handlers: moves } = useDrag(surface);
  const ends = useConnect(surface);
  const makeNodes = useRef(new FlowNodes()),
    makeEdges = useRef(new FlowEdges()),
    makeNotes = useRef(new FlowNotes());
  const ports = editor.ports();
  const blocks = makeNodes.current.build(drawing, ports, direction, chosenNodes, moved);
  const notes = makeNotes.current.build(drawing, chosenNotes, moved);
  const tiny = useTiny(blocks.length + notes.length);
  const overview = useOverview(tiny, blocks, notes, moved);
  const { nodes } = overview;
  const edges = makeEdges.current.build(tiny ? NO_EDGES : drawing.graph.edges, chosenEdges);
  const beginning = useFitView();
  const labels = useLabelBoard();
  const [tracks] = useState<Tracks>(() => new Map());
  useCancelDrag(surface);

  const menu = (event: MouseEvent | ReactMouseEvent, id = "") => {
    event.preventDefault();
    const { selectedNodes: chosen, selectedNotes } = editor.state;
    if (id && !chosen.has(id) && !selectedNotes.has(id))
      isNoteId(id) ? editor.select([], [], [id]) : editor.select([id]);
    editor.set({ overlay: { kind: "menu", ...surface.spot(event) } });
  };
  const menuOfPlace = (event: MouseEvent | ReactMouseEvent) => {
    event.preventDefault();
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    editor.set({ overlay: { kind: "menu", ...surface.spot(event), at: [snap(x), snap(y)] } });
  };
  const onDoubleClick = (event: ReactMouseEvent) => {
    if (!(event.target instanceof Element) || !event.target.matches(".react-flow__pane")) return;
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    editor.set({ overlay: { kind: "place", ...surface.spot(event), at: [snap(x - WIDTH / 2), snap(y - 36)] } });
  };
  const onDrop = (event: DragEvent) => {
    const block = event.dataTransfer.getData(DRAG_TYPE);
    if (!block || !isKnown(editor, block)) return;
    event.preventDefault();
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const at = [snap(x - WIDTH / 2), snap(y - 36)] as const;
    const wire = surface.wireUnder(event)?.getAttribute("data-id");
    const edge = wire ? drawing.graph.edges.find((e) => edgeId(e) === wire) : undefined;
    surface.mark(undefined);
    const spec = catalogue.block(block);
    if (edge && (!spec || (spec.inputs.length && spec.outputs.length))) insertAt(editor, block, edge, at);
    else addAt(editor, block, at);
    surface.focus();
  };

  const scroll = useScrolling();
  const on = useStableHandlers({
    ...moves,
    ...ends,
    onPaneContextMenu: menuOfPlace,
    onPaneClick: overview.onPaneClick,
    onMoveStart: () => surface.moving(true),
    onMoveEnd: () => surface.moving(false),
    onNodeDoubleClick: (_: ReactMouseEvent, node: AnyFlow) => openNode(editor, node.id),
    onNodeContextMenu: (e: ReactMouseEvent, node: AnyFlow) => menu(e, node.id),
    onSelectionContextMenu: (e: ReactMouseEvent) => menu(e),
  });

  return (
    <div
      className="canvas"
      ref={surface.ref}
      data-testid="canvas"
      data-tiny={tiny || undefined}
      onDrop={onDrop}
      onDoubleClick={onDoubleClick}
      onPointerUpCapture={({ clientX, clientY }) => {
        surface.latest = { clientX, clientY };
      }}
      onDragOver={(e) => {
        e.preventDefault();
        e.dataTransfer.dropEffect = "copy";
        surface.mark(surface.wireUnder(e));
      }}
      onPointerMove={overview.onPointerMove}
      onDragLeave={() => surface.mark(undefined)}
      onWheelCapture={scroll.watch}
    >
      <LabelContext.Provider value={labels}>
        <TracksContext.Provider value={tracks}>
          <TinyContext.Provider value={tiny}>
            <ReactFlow
              nodes={nodes}
              edges={edges}
              nodeTypes={NODE_TYPES}
              edgeTypes={EDGE_TYPES}
              {...on}
              connectionLineComponent={ConnectionLine}
              connectionRadius={30}
              connectOnClick
              snapToGrid
              snapGrid={SNAP}
              selectionMode={SelectionMode.Partial}
              onlyRenderVisibleElements={nodes.length > MANY && !tiny}
              elevateNodesOnSelect
              deleteKeyCode={null}
              minZoom={leastZoom(drawing.layout)}
              maxZoom={2}
              nodeDragThreshold={2}
              panOnScroll={scroll.pans}
              zoomOnScroll={!scroll.pans}
              ariaLabelConfig={SPOKEN}
              zoomOnDoubleClick={false}
              proOptions={CREDIT}
              multiSelectionKeyCode={SEVERAL}
            >
              {tiny && <TinyWires drawing={drawing} ports={ports} direction={direction} moved={moved} />}
              {tiny && <TinyBlocks drawing={drawing} direction={direction} moved={moved} />}
              <FixGhost />
              <Light />
              {!tiny && <Background variant={BackgroundVariant.Dots} gap={24} size={1.2} />}
              {blocks.length + notes.length > 0 && <Minimap />}
              {beginning && <MoreBeyond {...beginning} />}
            </ReactFlow>
          </TinyContext.Provider>
        </TracksContext.Provider>
      </LabelContext.Provider>
      <EmptyState />
    </div>
  );
}
