/** What can be done with a use of a composite. */

import { uses } from "../model/scope";
import { makeIndependent, openNode, unpack } from "../store/compose";
import { useBench, useEditor } from "./context";
import { Icon } from "./icons";

export function CompositeVerbs({ id, block, shared }: { id: string; block: string; shared: boolean }) {
  const { editor } = useBench();
  const count = useEditor((s) => uses(s.whole.graph, block));
  return (
    <section className="section">
      <div className="verbs">
        <button type="button" className="button outline small" data-testid="composite-open" onClick={() => openNode(editor, id)}><Icon name="open" size={13} /> Open</button>
        {!shared && <button type="button" className="button outline small" data-testid="composite-unpack" onClick={() => unpack(editor, id)}><Icon name="unpack" size={13} /> Unpack</button>}
        {!shared && count > 1 && (
          <button type="button" className="button outline small" data-testid="composite-independent" onClick={() => makeIndependent(editor, id)}>
            <Icon name="copy" size={13} /> Make independent
          </button>
        )}
      </div>
      {count > 1 && <p className="help">Used {count} times; a change inside changes all of them.</p>}
    </section>
  );
}
