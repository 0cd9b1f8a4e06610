/** What is selected and moved with the mouse: in the store when the hand lets go, until then here. */

import { type EdgeChange, type NodeChange, useReactFlow } from "@xyflow/react";
import { type MouseEvent as ReactMouseEvent, useState } from "react";
import type { AnyFlow, Places, WireFlow } from "../flow/elements";
import type { Surface } from "../flow/surface";
import { edgeId } from "../model/graph";
import { isNoteId } from "../model/notes";
import { move } from "../store/editCommands";
import { dropOnWire, isLoose } from "../store/insertCommands";
import { useBench } from "./useEditor";

const STILL: Places = {};

/** Where things stand while they are dragged, and React Flow's handlers for it. */
export function useDrag(surface: Surface) {
  const { editor } = useBench();
  const flow = useReactFlow<AnyFlow, WireFlow>();
  const [moved, setMoved] = useState<Places>(STILL);

  const onNodesChange = (changes: NodeChange<AnyFlow>[]) => {
    choose(changes);
    const places: Record<string, { x: number; y: number }> = {};
    let dragging = false;
    for (const change of changes) {
      if (change.type === "position" && change.position) {
        places[change.id] = change.position;
        dragging ||= change.dragging === true;
      } else if (change.type === "dimensions" && change.resizing && change.dimensions) {
        const { id, dimensions } = change;
        setMoved((old) => ({ ...old, [id]: { ...(places[id] ?? old[id] ?? at(id)), ...dimensions } }));
        delete places[id];
      }
    }
    if (!Object.keys(places).length) return;
    if (dragging) setMoved((old) => ({ ...old, ...places }));
    else letGo(Object.fromEntries(Object.entries(places).map(([id, p]) => [id, [p.x, p.y] as [number, number]])));
  };

  const choose = (changes: NodeChange<AnyFlow>[]) => {
    const picked = changes.filter((change) => change.type === "select");
    if (!picked.length) return;
    const selectedNodes = new Set(editor.state.selectedNodes),
      selectedNotes = new Set(editor.state.selectedNotes);
    for (const { id, selected } of picked) {
      const list = isNoteId(id) ? selectedNotes : selectedNodes;
      if (selected) list.add(id);
      else list.delete(id);
    }
    editor.set({ selectedNodes, selectedNotes, ...editor.tabFor(selectedNodes) });
  };

  /** The end of a drag: on a wire, if one is marked; else where the things stand now. */
  const letGo = (places: Record<string, [number, number]>) => {
    setMoved(STILL);
    const wire = surface.target
      ? editor.state.drawing.graph.edges.find((e) => edgeId(e) === surface.target)
      : undefined;
    surface.mark(undefined);
    if (surface.cancelled) return;
    const layout = Object.fromEntries(Object.entries(places).filter(([id]) => stands(id)));
    const [id = ""] = Object.keys(layout);
    if (wire && layout[id]) dropOnWire(editor, id, wire, layout[id]);
    else if (differs(layout)) move(editor, layout, "nudge");
  };

  const at = (id: string) => {
    const { x, y } = flow.getNode(id)?.position ?? { x: 0, y: 0 };
    return { x, y };
  };

  /** A key may have deleted what the mouse still holds. */
  const stands = (id: string) =>
    Object.hasOwn(editor.state.drawing.graph.nodes, id) || editor.state.drawing.notes.some((n) => n.id === id);

  const differs = (places: Record<string, [number, number]>) =>
    Object.entries(places).some(([id, [x, y]]) => {
      const { layout, notes } = editor.state.drawing;
      const old = isNoteId(id) ? notes.find((n) => n.id === id)?.at : layout[id];
      return !old || old[0] !== x || old[1] !== y;
    });

  /** A block without wires that is dragged over a wire would be put on it. */
  const onNodeDrag = (event: MouseEvent | TouchEvent | ReactMouseEvent, node: AnyFlow, all: AnyFlow[]) => {
    const touch = "touches" in event ? event.touches[0] : event;
    if (!touch || all.length !== 1 || !isLoose(editor, node.id)) return;
    const { width = 0, height = 0 } = node;
    const { x, y } = flow.flowToScreenPosition({ x: node.position.x + width / 2, y: node.position.y + height / 2 });
    surface.mark(surface.wireUnder(touch) ?? surface.wireUnder({ clientX: x, clientY: y }));
  };

  const onEdgesChange = (changes: EdgeChange<WireFlow>[]) => {
    const selectedEdges = new Set(editor.state.selectedEdges);
    for (const change of changes) {
      if (change.type !== "select") continue;
      if (change.selected) selectedEdges.add(change.id);
      else selectedEdges.delete(change.id);
    }
    editor.set({ selectedEdges });
  };

  return { moved, handlers: { onNodesChange, onEdgesChange, onNodeDrag } };
}
