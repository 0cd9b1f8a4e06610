/** The board that arranges the labels of the wires; one for a canvas. */

import { useStoreApi } from "@xyflow/react";
import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import { LabelBoard } from "../flow/labelBoard";
import type { Rect } from "../model/minimap";
import type { WireLabel } from "../model/wireLabels";

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

/** Stand on the board while it is drawn. */
export function useWireLabel(label: WireLabel) {
  const board = useContext(LabelContext);
  const group = useRef<SVGGElement>(null);
  const { id, output, text, spots, points } = label;
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
