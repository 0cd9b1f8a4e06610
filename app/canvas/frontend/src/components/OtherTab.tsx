/** Another tab changed this project: nothing is overwritten until the user has chosen. */

import { useBench, useEditor } from "../hooks/useEditor";

export function OtherTab() {
  const { sync } = useBench();
  const elsewhere = useEditor((s) => s.elsewhere);
  const rescue = useEditor((s) => s.rescue !== null);
  if (!elsewhere || rescue) return null;
  return (
    <div className="banner" role="alert" data-testid="elsewhere">
      <span>This project was changed in another tab.</span>
      <button
        type="button"
        className="button small"
        data-testid="elsewhere-merge"
        title="Shows the differences and merges the changes of both tabs"
        onClick={() => sync.act("merge")}
      >
        Compare and merge
      </button>
      <button
        type="button"
        className="button small outline"
        data-testid="elsewhere-theirs"
        title="Shows the other tab's drawing here; undo brings yours back"
        onClick={() => sync.act("theirs")}
      >
        Use the other tab’s version
      </button>
      <button
        type="button"
        className="button small outline"
        data-testid="elsewhere-mine"
        title="Keeps this drawing; the other one is kept as a backup"
        onClick={() => sync.act("mine")}
      >
        Keep this tab’s version
      </button>
    </div>
  );
}
