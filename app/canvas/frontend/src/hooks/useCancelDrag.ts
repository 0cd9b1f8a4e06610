/** Escape lets go of the block or the wire that is dragged or begun with a click, as if it had never been taken. */

import { useStoreApi } from "@xyflow/react";
import { useEffect } from "react";
import { unmarkPorts } from "../flow/connectionTarget";
import type { Surface } from "../flow/surface";

export function useCancelDrag(surface: Surface): void {
  const api = useStoreApi();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { connection, connectionClickStartHandle: clicked, nodes } = api.getState();
      if (event.key !== "Escape" || (!connection.inProgress && !clicked && !nodes.some((n) => n.dragging))) return;
      event.preventDefault();
      event.stopImmediatePropagation(); // else it would also close, deselect or leave something
      api.setState({ connectionClickStartHandle: null });
      unmarkPorts(surface.ref.current);
      surface.cancelled = true;
      surface.ref.current?.dispatchEvent(new MouseEvent("mouseup", { bubbles: true, composed: true, view: window }));
      surface.cancelled = false;
    };
    addEventListener("keydown", onKey, true);
    return () => removeEventListener("keydown", onKey, true);
  }, [api, surface]);
}
