/** What lies over the canvas for a moment; a press elsewhere takes it away. */

import { useBench, useEditor } from "../hooks/useEditor";
import { label } from "../model/signature";
import { addAt, connect } from "../store/editCommands";
import type { Overlay } from "../store/slices/ui";
import {
  addInFront,
  addResidual,
  addWired,
  blocksAnywhere,
  blocksBetween,
  blocksTaking,
  blocksFeeding,
} from "../store/wireCommands";
import { type Choice, Combobox } from "./Combobox";
import { GroupDialog } from "./GroupDialog";
import { Menu } from "./Menu";
import { PartDialog } from "./PartDialog";
import { Residual } from "./Residual";
import { Search } from "./Search";
import { TextDialog } from "./TextDialog";

export function Overlays() {
  const { editor } = useBench();
  const overlay = useEditor((s) => s.overlay);
  if (!overlay) return null;
  if (overlay.kind === "group") return <GroupDialog />;
  if (overlay.kind === "part") return <PartDialog />;
  if (overlay.kind === "text") return <TextDialog mode={overlay.mode} />;
  return (
    <>
      <div className="veil" onPointerDown={() => editor.set({ overlay: null })} />
      {overlay.kind === "menu" && <Menu {...overlay} />}
      {overlay.kind === "search" && <Search />}
      {overlay.kind === "place" && <Place {...overlay} />}
      {overlay.kind === "drop" && <Drop {...overlay} />}
      {overlay.kind === "front" && <Front {...overlay} />}
      {overlay.kind === "residual" && (
        <Residual
          {...overlay}
          add={() => addResidual(editor, overlay.source, overlay.port, overlay.target)}
          instead={(edge) => connect(editor, edge)}
        />
      )}
    </>
  );
}

/** The palette at a place of the drawing: every block, those for beginners first. */
function Place({ x, y, at }: Extract<Overlay, { kind: "place" }>) {
  const { editor } = useBench();
  const choice = useChoice();
  return (
    <Combobox
      id="place"
      label="Search blocks"
      none="No results."
      style={{ left: x, top: y }}
      choose={(block) => addAt(editor, block, at)}
      find={(query) => blocksAnywhere(editor, query).map(choice)}
    />
  );
}

/** The palette at the loose end of a wire, or between it and a port: only blocks that can take it. */
function Drop({ x, y, at, source, port, into }: Extract<Overlay, { kind: "drop" }>) {
  const { editor } = useBench();
  const choice = useChoice();
  const signature = useEditor((s) => s.annotations.nodes[s.path + source]?.outputs?.[port]);
  return (
    <Combobox
      id="drop"
      label="Search blocks"
      none="No such block accepts this wire."
      style={{ left: x, top: y }}
      head={
        into ? (
          <>
            <span className="bad">{into.why}</span>
            <br />
            Which block should go between them?
          </>
        ) : (
          <>
            Takes {source}
            {signature && (
              <>
                {" "}
                <span className="mono">{label(signature)}</span>
              </>
            )}
          </>
        )
      }
      choose={(block) => addWired(editor, block, source, port, at, into)}
      find={(query) => (into ? blocksBetween : blocksTaking)(editor, source, port, query).map(choice)}
    />
  );
}

/** The same at the loose end of a wire that was drawn backwards: only blocks that can feed the port. */
function Front({ x, y, at, target, port }: Extract<Overlay, { kind: "front" }>) {
  const { editor } = useBench();
  const choice = useChoice();
  const form = editor.ports().input(target, port)?.form;
  return (
    <Combobox
      id="front"
      label="Search blocks"
      none={`No such block fits in front of ${target}.`}
      style={{ left: x, top: y }}
      head={
        <>
          Feeds {target}
          {form && (
            <>
              {" "}
              <span className="mono">{form}</span>
            </>
          )}
        </>
      }
      choose={(block) => addInFront(editor, block, target, port, at)}
      find={(query) => blocksFeeding(editor, target, port, query).map(choice)}
    />
  );
}

/** A block of the palette as an entry of a short list. */
function useChoice(): (name: string) => Choice {
  const catalogue = useEditor((s) => s.catalogue);
  return (name) => ({
    key: name,
    text: name,
    family: catalogue.block(name) ? catalogue.family(name) : "composite",
    about: catalogue.block(name)?.summary ?? "A block of your own.",
  });
}
