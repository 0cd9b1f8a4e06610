/** The lists of the palette: what suits the data, and below it, folded, blocks for beginners by what
 * one wants to do; or all by family; own ones. */

import { memo, useMemo, useState } from "react";
import { useStore } from "zustand";
import { useBench, useEditor } from "../hooks/useEditor";
import { useLesson } from "../hooks/useLesson";
import { isLayer } from "../model/catalogue";
import { uses } from "../model/scope";
import { givenBy, suggested } from "../model/suggested";
import { forgetComposite } from "../store/compositeCommands";
import { prefer, preferences } from "../store/preferences";
import { DRAG_TYPE } from "./Canvas";
import { Icon } from "./icons";

const OPEN_AT_FIRST = new Set(["ends", "linear", "convolution", "activation", "pooling"]);
const unfolded = new Map<string, boolean>();

interface ListsProps {
  add: (name: string) => void;
  tell: (name: string) => void;
}

export const Lists = memo(({ parts, ...props }: ListsProps & { parts: readonly string[] }) => {
  const { json } = useEditor((s) => s.catalogue);
  const all = useAll();
  const ready = parts.length > 0 && (
    <List key="ready" id="ready" title="Ready-made composites" blocks={parts} open={false} {...props} />
  );
  const lesson = useLesson((s) => s.focus !== null); // its text names a block to take: all of them are there
  if (!all) {
    return (
      <>
        {!lesson && <Suggested {...props} />}
        {json.beginners?.map(({ title, blocks }) => (
          <List key={title} id={`for ${title}`} title={title} blocks={blocks} open={lesson} {...props} />
        ))}
        {ready}
      </>
    );
  }
  const families = json.families.map(({ name, title, blocks }) => (
    <List key={name} id={name} family={name} title={title} blocks={blocks} open={OPEN_AT_FIRST.has(name)} {...props} />
  ));
  return [...families, ready];
});

function Suggested({ add, tell }: ListsProps) {
  const suggestions = useEditor((s) => s.catalogue.json.suggested);
  const nodes = useEditor((s) => s.drawing.graph.nodes);
  const given = useEditor((s) => {
    const [id, input] = Object.entries(s.drawing.graph.nodes).find(([, { block }]) => block === "Input") ?? [];
    return Object.values(s.annotations.nodes[s.path + id]?.outputs ?? {})[0] ?? input ?? s.firstInput;
  });
  const blocks = useMemo(
    () => suggested(suggestions ?? [], nodes, given && "dtype" in given ? given : givenBy(given?.settings ?? {})),
    [suggestions, nodes, given],
  );
  return (
    <section aria-label="Suggested" className="suggested">
      <h3>Suggested</h3>
      {blocks.map((name) => (
        <Entry key={name} name={name} add={add} tell={tell} from="suggested" />
      ))}
    </section>
  );
}

/** Whether every block is listed, not only those for beginners. */
export function useAll(): boolean {
  const wished = useStore(preferences, (s) => s.allBlocks);
  return !useEditor((s) => s.catalogue.beginners.length) || wished;
}

/** Which blocks the lists show; the search knows all of them anyway. */
export function AllBlocks() {
  const count = useEditor((s) => Object.keys(s.catalogue.json.blocks).length);
  return (
    <label className="palette-all switch">
      <input
        type="checkbox"
        role="switch"
        checked={useAll()}
        data-testid="palette-all"
        onChange={(e) => prefer({ allBlocks: e.target.checked })}
      />
      All {count} blocks
    </label>
  );
}

interface ListProps extends ListsProps {
  id: string;
  family?: string;
  title: string;
  blocks: readonly string[];
  open: boolean;
}

function List({ id, family, title, blocks, open, add, tell }: ListProps) {
  const catalogue = useEditor((s) => s.catalogue);
  const [, redraw] = useState(0);
  const shown = unfolded.get(id) ?? open;
  const twins = blocks.filter((name) => catalogue.isTwin(name) && family);
  const entry = (name: string) => <Entry key={name} name={name} add={add} tell={tell} />;
  const toggle = () => {
    unfolded.set(id, !shown);
    redraw((n) => n + 1);
  };
  return (
    <section data-family={family ?? catalogue.family(blocks[0] ?? "")}>
      <button
        type="button"
        className="family"
        aria-expanded={shown}
        data-testid={`family-${family ?? title}`}
        onClick={toggle}
      >
        <span className="dot" /> <span className="cut">{title}</span>
        {family && <span className="count">{blocks.length}</span>}
        <Icon name="chevron" size={12} />
      </button>
      {shown && blocks.filter((name) => !twins.includes(name)).map(entry)}
      {shown && twins.length > 0 && (
        <h3 className="twins">{isLayer(twins[0] ?? "") ? "The same as layers" : "The same as functions"}</h3>
      )}
      {shown && twins.map(entry)}
    </section>
  );
}

/** Offered among all blocks, beside own ones, and where a search asks for it. */
export function NewBlock({ write }: { write: () => void }) {
  return (
    <section data-family="composite">
      <button type="button" className="entry own-new" data-testid="custom-new" onClick={write}>
        <Icon name="plus" size={12} />{" "}
        <span className="cut">
          Custom block…<span className="hidden-text"> written in Python</span>
        </span>
      </button>
    </section>
  );
}

interface OwnProps {
  names: string[];
  add: (name: string) => void;
  first: string;
}

export function OwnBlocks({ names, add, first }: OwnProps) {
  return (
    <section data-family="composite" data-testid="palette-own">
      <h3 className="own-title">
        <span className="dot" /> Your blocks
      </h3>
      {names.map((name) => (
        <OwnEntry key={name} name={name} add={add} first={name === first} />
      ))}
    </section>
  );
}

function OwnEntry({ name, add, first }: { name: string; add: (name: string) => void; first: boolean }) {
  const { editor } = useBench();
  const count = useEditor((s) => uses(s.whole.graph, name));
  const python = useEditor((s) => s.whole.graph.composites?.[name]?.python !== undefined);
  return (
    <span className="own-entry">
      <button
        type="button"
        className="entry"
        draggable
        data-testid={`palette-${name}`}
        title={`Used ${count === 1 ? "once" : `${count} times`}`}
        aria-label={`${name}: a block of your own`}
        onClick={() => add(name)}
        data-first={first || undefined}
        onDragStart={(e) => {
          e.dataTransfer.setData(DRAG_TYPE, name);
          e.dataTransfer.effectAllowed = "copy";
        }}
      >
        <span className="stripe" />
        <span className="entry-text">
          <span className="cut">{name}</span>
        </span>
      </button>
      {python && (
        <button
          type="button"
          className="button small icon"
          aria-label={`Code of ${name}`}
          title="Code"
          data-testid={`code-${name}`}
          onClick={() => editor.onAsk("code", { block: name })}
        >
          <Icon name="code" size={12} />
        </button>
      )}
      {count === 0 && (
        <button
          type="button"
          className="button small icon"
          aria-label={`Delete ${name}`}
          title="Delete this block (it is not used)"
          onClick={() => forgetComposite(editor, name)}
        >
          <Icon name="trash" size={12} />
        </button>
      )}
    </span>
  );
}

interface EntryProps {
  name: string;
  add: (name: string) => void;
  tell: (name: string) => void;
  wide?: boolean;
  /** Whether it is what Enter adds. */
  first?: boolean;
  /** The list it stands in. */
  from?: "palette" | "suggested";
}

export const Entry = memo(({ name, add, tell, wide, first, from = "palette" }: EntryProps) => {
  const summary = useEditor((s) => s.catalogue.summary(name));
  const family = useEditor((s) => s.catalogue.family(name));
  if (!summary) return null;
  return (
    <button
      type="button"
      className="entry"
      draggable
      data-family={family}
      data-testid={`${from}-${name}`}
      data-first={first || undefined}
      title={summary}
      aria-label={wide ? undefined : `${name}: ${summary}`}
      onClick={() => add(name)}
      onPointerEnter={() => tell(name)}
      onFocus={() => tell(name)}
      onPointerLeave={() => tell("")}
      onBlur={() => tell("")}
      onDragStart={(e) => {
        e.dataTransfer.setData(DRAG_TYPE, name);
        e.dataTransfer.effectAllowed = "copy";
      }}
    >
      <span className="stripe" />
      <span className="entry-text">
        <span className="cut">{name}</span>
        {wide && <small className="cut">{summary}</small>}
      </span>
    </button>
  );
});
