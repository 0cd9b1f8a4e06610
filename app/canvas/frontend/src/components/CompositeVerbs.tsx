/** What can be done with a use of a composite. */

import { useBench, useEditor } from "../hooks/useEditor";
import { uses } from "../model/scope";
import { makeIndependent, openNode, ungroupNode } from "../store/compositeCommands";
import { Icon } from "./icons";

interface Props {
  id: string;
  block: string;
  shared: boolean;
  /** Whether it is a custom block, made of Python. */
  python: boolean;
}

export function CompositeVerbs({ id, block, shared, python }: Props) {
  const { editor } = useBench();
  const count = useEditor((s) => uses(s.whole.graph, block));
  return (
    <section className="section">
      <div className="verbs">
        <button
          type="button"
          className="button outline small"
          data-testid="composite-open"
          onClick={() => openNode(editor, id)}
        >
          <Icon name={python ? "code" : "open"} size={13} /> {python ? "Code" : "Open"}
        </button>
        {!shared && !python && (
          <button
            type="button"
            className="button outline small"
            data-testid="composite-unpack"
            onClick={() => ungroupNode(editor, id)}
          >
            <Icon name="unpack" size={13} /> Unpack
          </button>
        )}
        {!shared && !python && count > 1 && (
          <button
            type="button"
            className="button outline small"
            data-testid="composite-independent"
            onClick={() => makeIndependent(editor, id)}
          >
            <Icon name="copy" size={13} /> Make independent
          </button>
        )}
      </div>
      {count > 1 && (
        <p className="help">
          Used {count} times; a change {python ? "of its code" : "inside"} changes all of them.
        </p>
      )}
    </section>
  );
}
