/** The board that arranges the labels of the wires; one for a canvas. */

import { useStoreApi } from "@xyflow/react";
import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { LabelBoard } from "../flow/labelBoard";
import type { Rect } from "../model/minimap";
import type { WireLabel } from "../model/wireLabels";
import { passesOn } from "../model/wires";
import { useEditor } from "./useEditor";

export const LabelContext = createContext<LabelBoard | null>(null);

export function useLabelBoard(): LabelBoard {
  const api = useStoreApi();
  const [board] = useState(
    () =>
      new LabelBoard(() => {
        const { transform, nodeLookup } = api.getState();
        const cards: Rect[] = [];
        for (const {
          type,
          internals: { positionAbsolute: at },
          measured: { width = 0, height = 0 },
        } of nodeLookup.values()) {
          if (type === "block") cards.push({ ...at, width, height });
        }
        return { zoom: transform[2], cards };
      }),
  );
  useEffect(
    () =>
      api.subscribe(({ transform }, before) => {
        if (transform[2] !== before.transform[2]) board.zoomed(transform[2]);
      }),
    [api, board],
  );
  return board;
}

/** Whether the shape that leaves an output is the one that came in: then it is not written once more. */
const usePassesOn = (id: string, port: string): boolean =>
  useEditor((s) => passesOn(s.drawing.graph.edges, (one) => s.annotations.nodes[s.path + one]?.outputs, id, port));

const never = () => () => {};

/** Whether the shape of an output can be read on a wire, there or further up. */
export function useSaidByWire(id: string, port: string): boolean {
  const board = useContext(LabelContext);
  const output = `${id}.${port}`;
  const said = useSyncExternalStore(board?.listen ?? never, () => board?.says(output) ?? false);
  return usePassesOn(id, port) || said;
}

/** Stand on the board while it is drawn. */
export function useWireLabel(label: WireLabel) {
  const board = useContext(LabelContext);
  const group = useRef<SVGGElement>(null);
  const { id, output, spots, points } = label;
  const [source = "", port = ""] = output.split(".");
  const same = usePassesOn(source, port) && label.text.startsWith("(");
  const text = same ? "" : label.text; // a shape is written where it changes, as in the source
  useLayoutEffect(() => {
    if (group.current) board?.put({ id, output, text, spots, points }, group.current);
  }, [board, id, output, text, spots, points]);
  useLayoutEffect(() => {
    const mine = group.current;
    return () => {
      if (mine) board?.drop(id, mine);
    };
  }, [board, id]);
  return group;
}
