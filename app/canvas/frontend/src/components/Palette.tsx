/** All blocks by family, searchable; drag one onto the canvas, or press Enter to add it. */

import { useReactFlow, useStoreApi } from "@xyflow/react";
import { type KeyboardEvent, memo, useCallback, useMemo, useState } from "react";
import { useBench, useEditor } from "../hooks/useEditor";
import { search } from "../model/catalogue";
import { uses } from "../model/scope";
import { forgetComposite } from "../store/compositeCommands";
import { addNext } from "../store/editCommands";
import { ownBlocks } from "../store/wireCommands";
import { DRAG_TYPE } from "./Canvas";
import { Icon } from "./icons";

const OPEN_AT_FIRST = new Set(["ends", "linear", "convolution", "activation", "pooling"]);
const unfolded = new Map<string, boolean>();

export function Palette() {
  const catalogue = useEditor((s) => s.catalogue);
  const [query, setQuery] = useState("");
  const [about, setAbout] = useState("");
  const [, redraw] = useState(0);
  const results = useMemo(() => search(catalogue, query), [catalogue, query]);
  const { editor } = useBench();
  const composites = useEditor((s) => s.whole.graph.composites);
  const scope = useEditor((s) => s.scope);
  const own = useMemo(() => named(ownBlocks(editor), query), [editor, composites, scope, query]);
  const add = useAdd();
  const searching = query.trim() !== "";
  const none = searching && !results.length && !own.length;
  const spec = catalogue.block(about);

  const onSearchKey = (event: KeyboardEvent) => {
    const first = own[0] ?? results[0];
    if (event.key === "Enter" && first && searching) add(first);
    if (event.key === "Enter" && none && answers(query)) editor.onAsk("code", { block: "" });
    if (event.key === "Escape") setQuery("");
    if (event.key === "ArrowDown") focusEntry(event.currentTarget, 1);
  };

  const toggle = (family: string) => {
    unfolded.set(family, !isOpen(family));
    redraw((n) => n + 1);
  };

  return (
    <nav className="palette" aria-label="Blocks" data-testid="palette">
      <label className="palette-search">
        <Icon name="search" size={14} />
        <span className="hidden-text">Search blocks</span>
        <input
          className="field" type="search" placeholder="Search blocks" value={query} data-testid="palette-search"
          onChange={(e) => setQuery(e.target.value)} onKeyDown={onSearchKey} autoComplete="off" spellCheck={false}
        />
        {!searching && <kbd aria-hidden="true">/</kbd>}
      </label>
      <div className="palette-list scroll" onKeyDown={onListKey}>
        {searching && results.map((name) => <Entry key={name} name={name} add={add} tell={setAbout} wide />)}
        {none && !answers(query) && (
          <p className="palette-none muted">No block answers “{query.trim()}”. Try “conv”, “norm” or “join”, or write one yourself:</p>
        )}
        {own.length > 0 && <OwnBlocks names={own} add={add} />}
        {!searching && catalogue.json.families.map((family) => (
          <section key={family.name} data-family={family.name}>
            <button
              type="button" className="family" aria-expanded={isOpen(family.name)} data-testid={`family-${family.name}`}
              onClick={() => toggle(family.name)}
            >
              <span className="dot" /> <span className="cut">{family.title}</span>
              <span className="count">{family.blocks.length}</span>
              <Icon name="chevron" size={12} />
            </button>
            {isOpen(family.name) && family.blocks.map((name) => <Entry key={name} name={name} add={add} tell={setAbout} />)}
          </section>
        ))}
        {(none || answers(query)) && <NewBlock />}
      </div>
      <div className="palette-about" aria-hidden="true">
        {spec ? <><strong>{about}</strong><span>{spec.summary}</span></> : <span>Drag a block onto the canvas, or click it to add it after the selected one.</span>}
      </div>
    </nav>
  );
}

function named(all: string[], query: string): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((name) => words.every((w) => name.toLowerCase().includes(w)));
}

const WORDS = "custom block of your own in python code";

/** Whether a search may mean a block that is to be written; one without words means everything. */
function answers(query: string): boolean {
  return query.toLowerCase().split(/\s+/).filter(Boolean).every((w) => WORDS.includes(w));
}

function NewBlock() {
  const { editor } = useBench();
  return (
    <section data-family="composite">
      <button type="button" className="entry own-new" data-testid="custom-new" onClick={() => editor.onAsk("code", { block: "" })}>
        <Icon name="plus" size={12} /> <span className="cut">Custom block…<span className="hidden-text"> written in Python</span></span>
      </button>
    </section>
  );
}

function OwnBlocks({ names, add }: { names: string[]; add: (name: string) => void }) {
  return (
    <section data-family="composite" data-testid="palette-own">
      <h3 className="own-title"><span className="dot" /> Your blocks</h3>
      {names.map((name) => <OwnEntry key={name} name={name} add={add} />)}
    </section>
  );
}

function OwnEntry({ name, add }: { name: string; add: (name: string) => void }) {
  const { editor } = useBench();
  const count = useEditor((s) => uses(s.whole.graph, name));
  const python = useEditor((s) => s.whole.graph.composites?.[name]?.python !== undefined);
  return (
    <span className="own-entry">
      <button
        type="button" className="entry" draggable data-testid={`palette-${name}`} title={`Used ${count === 1 ? "once" : `${count} times`}`}
        aria-label={`${name}: a block of your own`} onClick={() => add(name)}
        onDragStart={(e) => {
          e.dataTransfer.setData(DRAG_TYPE, name);
          e.dataTransfer.effectAllowed = "copy";
        }}
      >
        <span className="stripe" /><span className="entry-text"><span className="cut">{name}</span></span>
      </button>
      {python && (
        <button type="button" className="button small icon" aria-label={`Code of ${name}`} title="Its code" data-testid={`code-${name}`} onClick={() => editor.onAsk("code", { block: name })}>
          <Icon name="code" size={12} />
        </button>
      )}
      {count === 0 && (
        <button type="button" className="button small icon" aria-label={`Forget ${name}`} title="Forget it: nothing uses it" onClick={() => forgetComposite(editor, name)}>
          <Icon name="trash" size={12} />
        </button>
      )}
    </span>
  );
}

function isOpen(family: string): boolean {
  return unfolded.get(family) ?? OPEN_AT_FIRST.has(family);
}

interface EntryProps {
  name: string;
  add: (name: string) => void;
  tell: (name: string) => void;
  wide?: boolean;
}

const Entry = memo(({ name, add, tell, wide }: EntryProps) => {
  const spec = useEditor((s) => s.catalogue.block(name));
  if (!spec) return null;
  return (
    <button
      type="button" className="entry" draggable data-family={spec.family} data-testid={`palette-${name}`}
      title={spec.summary} aria-label={wide ? undefined : `${name}: ${spec.summary}`} onClick={() => add(name)}
      onPointerEnter={() => tell(name)} onFocus={() => tell(name)} onPointerLeave={() => tell("")} onBlur={() => tell("")}
      onDragStart={(e) => {
        e.dataTransfer.setData(DRAG_TYPE, name);
        e.dataTransfer.effectAllowed = "copy";
      }}
    >
      <span className="stripe" />
      <span className="entry-text"><span className="cut">{name}</span>{wide && <small className="cut">{spec.summary}</small>}</span>
    </button>
  );
});

/** Add a block after the selected one, or in the middle of what is seen. */
function useAdd(): (name: string) => void {
  const { editor } = useBench();
  const flow = useReactFlow();
  const api = useStoreApi();
  return useCallback((name) => {
    const { width, height } = api.getState();
    const { x, y, zoom } = flow.getViewport();
    addNext(editor, name, [(width / 2 - x) / zoom - 104, (height / 2 - y) / zoom - 170]);
  }, [editor, flow, api]);
}

function onListKey(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (!step) return;
  event.preventDefault();
  focusEntry(event.target as Element, step);
}

function focusEntry(from: Element, step: number): void {
  const all = [...(from.closest(".palette")?.querySelectorAll<HTMLElement>(".field, .family, .entry") ?? [])];
  all[all.indexOf(from as HTMLElement) + step]?.focus();
}
