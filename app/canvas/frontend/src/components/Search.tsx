/** Search in the drawing (Ctrl+K): Enter shows the block, opening what it stands in. */

import { useMemo } from "react";
import { useBench, useEditor } from "../hooks/useEditor";
import { find } from "../model/find";
import { problems } from "../store/annotations";
import { Combobox } from "./Combobox";

export function Search() {
  const { editor } = useBench();
  const whole = useEditor((s) => s.whole);
  const notes = useEditor((s) => s.annotations);
  const catalogue = useEditor((s) => s.catalogue);
  const all = useMemo(() => problems(notes), [notes]);
  return (
    <Combobox
      id="search"
      className="search"
      label="Search this drawing"
      none="No results in ids, labels, settings, state_dict keys, errors and notes."
      choose={(path) => editor.show(path)}
      find={(query) =>
        find(whole, all, catalogue, query).map((f) => ({
          key: f.path,
          family: !f.block ? "note" : catalogue.block(f.block) ? catalogue.family(f.block) : "composite",
          text: (
            <>
              {f.name} <span className="muted">{f.block || "note"}</span>
            </>
          ),
          about: <span className={f.level ? "bad" : undefined}>{f.about || "\u00a0"}</span>,
        }))
      }
    />
  );
}
