/** When and how the times were measured, whether they still hold, and the button to measure. */

import { useBlockTimes } from "../hooks/useBlockTimes";
import { useBench, useEditor } from "../hooks/useEditor";
import { measure } from "../store/blockTimes";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });

export function MeasurePanel() {
  const { editor } = useBench();
  const { at, semRev, batch, rounds, device, threads, busy, trouble } = useBlockTimes(editor);
  const stale = useEditor((s) => s.semRev !== semRev);
  const on = threads ? `${device}, ${threads} ${threads === 1 ? "thread" : "threads"}` : device;
  return (
    <div className="measure" data-testid="measure-panel" data-stale={(at && stale) || undefined}>
      <div role="status">
        {busy && <p className="muted">Measuring …</p>}
        {!busy && trouble && <p className="bad">{trouble}</p>}
        {at && (
          <p className="muted">
            One forward pass of a batch of {batch}, the fastest of {rounds}, on {on}, at {clock.format(at)}.
          </p>
        )}
        {at && stale && !busy && <p className="stale">The drawing has changed since: measure again.</p>}
      </div>
      <button
        type="button"
        className="button small outline"
        disabled={busy}
        data-testid="measure"
        onClick={() => void measure(editor)}
      >
        {at ? "Measure again" : "Measure"}
      </button>
    </div>
  );
}
