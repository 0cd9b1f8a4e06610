/** Where the newest run diverged: a mark on the block, and what the run said in the inspector. */

import { useEditor } from "../hooks/useEditor";
import type { Fault } from "../protocol";
import { faultAt } from "../store/divergence";
import { Icon } from "./icons";

export function FaultMark({ fault }: { fault: Fault }) {
  return (
    <span className="block-fault" title={`${fault.run}: ${fault.message}`} data-testid="fault-mark">
      <Icon name="diverged" size={12} /> <span className="hidden-text">here the newest run </span>diverged
    </span>
  );
}

export function FaultNote({ id }: { id: string }) {
  const fault = useEditor((s) => faultAt(s, id));
  if (!fault) return null;
  return (
    <div className="finding" data-level="error" data-testid="fault-note">
      <p>
        <Icon name="diverged" size={14} />{" "}
        <span>
          {fault.run} diverged here. <span className="muted">{fault.message}</span>
        </span>
      </p>
    </div>
  );
}
