/** What is done with the project as a file: save, download, rename, share. */

import { capsOf } from "../actions/action";
import { save } from "../actions/viewActions";
import { useBench, useEditor } from "../hooks/useEditor";
import { downloadProject } from "../store/projectFile";
import { BarMenu, Verb } from "./BarMenu";

export function ShareMenu() {
  return (
    <BarMenu
      id="share"
      kind="menu"
      label="Share"
      right
      icon="share"
      text={<span className="tool-text">Share</span>}
      title="Save, download, rename or share this project"
    >
      {(close) => <Verbs close={close} />}
    </BarMenu>
  );
}

function Verbs({ close }: { close: () => void }) {
  const { editor, sync } = useBench();
  const ways = useEditor((s) => s.ways);
  const after = (verb: () => void) => () => {
    close();
    verb();
  };
  return (
    <>
      <Verb
        id="save"
        text="Save"
        title="Save the project to its file"
        caps={capsOf(save).join(" ")}
        press={after(() => sync.act("save"))}
      />
      <Verb
        id="download"
        text="Download"
        title="The project as one file; open it again on the start page"
        press={after(() => void downloadProject(editor))}
      />
      <Verb id="rename" text="Rename…" title="Rename or describe the project" press={after(() => sync.act("rename"))} />
      {ways.map(({ name, title }) => (
        <Verb key={name} id={`share-${name}`} text={title} press={after(() => sync.act("share", { way: name }))} />
      ))}
    </>
  );
}
