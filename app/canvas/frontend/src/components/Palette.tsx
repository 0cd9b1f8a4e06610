/** The blocks: a search in which a network is typed in one go, and lists to drag or click from. */

import { useReactFlow, useStoreApi } from "@xyflow/react";
import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from "react";
import { toSettings } from "../actions/focus";
import { useBench, useEditor } from "../hooks/useEditor";
import { compositeSettings, search } from "../model/catalogue";
import { extrasOf, type Words, wordsOf } from "../model/typed";
import { addNext, addTyped } from "../store/editCommands";
import { ownBlocks } from "../store/wireCommands";
import { Icon } from "./icons";
import { AllBlocks, Entry, Lists, NewBlock, OwnBlocks, useAll } from "./PaletteLists";

const NO_NODES = {};
type Mode = "click" | "typed";

export function Palette() {
  const { editor } = useBench();
  const catalogue = useEditor((s) => s.catalogue);
  const [query, setQuery] = useState("");
  const [about, setAbout] = useState("");
  const [told, setTold] = useState("");
  const [typing, setTyping] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  /** Whether the last thing done here added a block: then Tab goes to its settings, else on as everywhere. */
  const added = useRef(false);
  const searching = query.trim() !== "";
  const nodes = useEditor((s) => (searching ? s.drawing.graph.nodes : NO_NODES));
  const words = useMemo(() => wordsOf(query, nodes), [query, nodes]);
  const found = useMemo(() => search(catalogue, words.query), [catalogue, words.query]);
  const composites = useEditor((s) => s.whole.graph.composites);
  const scope = useEditor((s) => s.scope);
  const own = useMemo(() => named(ownBlocks(editor), words.query), [editor, composites, scope, words.query]);
  const parts = useMemo(
    () => catalogue.parts(words.query).filter((name) => !Object.hasOwn(composites ?? {}, name)),
    [catalogue, words.query, composites],
  );
  const results = searching ? [...found, ...parts] : found;
  const all = useAll();
  const none = searching && !results.length && !own.length;
  const first = searching ? (own[0] ?? results[0] ?? "") : "";
  const put = useAdd();
  const add = useCallback((name: string) => setTold(put(name, words, "click")), [put, words]);

  const addFirst = () => {
    const said = put(first, words, "typed");
    setTold(said);
    if (said.endsWith(ADDED)) setQuery("");
    added.current = said.endsWith(ADDED);
  };
  const writeBlock = () => {
    setQuery("");
    editor.onAsk("code", { block: "" });
  };
  const onSearchKey = (event: KeyboardEvent<HTMLInputElement>) => {
    const root = event.currentTarget.closest<HTMLElement>(".loom");
    if (event.key === "Enter" && first) addFirst();
    if (event.key === "Enter" && none && answers(query)) writeBlock();
    if (event.key === "Escape") setQuery("");
    const goes = event.key === "Tab" && !event.shiftKey && !searching && added.current;
    if (goes && root && toSettings(root, editor)) event.preventDefault();
    if (event.key === "ArrowDown") {
      event.preventDefault();
      focusEntry(event.currentTarget, 1);
    }
  };
  /** What is chosen in the list with Enter belongs to what is typed, too. */
  const onChosen = (event: { detail: number; target: EventTarget }) => {
    if (!searching || event.detail || !(event.target instanceof Element) || !event.target.closest(".entry[draggable]"))
      return;
    setQuery("");
    input.current?.focus();
  };

  return (
    <nav className="palette" aria-label="Blocks" data-testid="palette">
      <label className="palette-search">
        <Icon name="search" size={14} />
        <span className="hidden-text">Search blocks</span>
        <input
          ref={input}
          className="field"
          type="search"
          placeholder="Search blocks"
          value={query}
          data-testid="palette-search"
          onChange={(e) => {
            setQuery(e.target.value);
            setTold("");
          }}
          onKeyDown={onSearchKey}
          autoComplete="off"
          spellCheck={false}
          aria-describedby="palette-how"
          onFocus={() => setTyping(true)}
          onBlur={() => {
            setTyping(false);
            added.current = false;
          }}
        />
        {!searching && <kbd aria-hidden="true">/</kbd>}
      </label>
      <div className="palette-list scroll" onKeyDown={onListKey} onClick={onChosen}>
        {searching &&
          results.map((name) => <Entry key={name} name={name} add={add} tell={setAbout} wide first={name === first} />)}
        {none && !answers(query) && (
          <p className="palette-none muted">
            No block answers “{words.query}”. Try “conv”, “norm” or “join”, or write one yourself:
          </p>
        )}
        {own.length > 0 && <OwnBlocks names={own} add={add} first={first} />}
        {!searching && <Lists add={add} tell={setAbout} parts={parts} />}
        {(searching ? none || answers(query) : all || own.length > 0) && <NewBlock write={writeBlock} />}
      </div>
      <AllBlocks />
      <div className="hidden-text" role="status">
        {told}
      </div>
      <Help about={about} words={words} first={first} typing={typing} told={told} />
    </nav>
  );
}

interface HelpProps {
  about: string;
  words: Words;
  /** What Enter adds; "" for nothing. */
  first: string;
  typing: boolean;
  told: string;
}

/** What the block under the pointer does; while a network is typed, what Enter does. */
function Help({ about, words, first, typing, told }: HelpProps) {
  const summary = useEditor((s) => s.catalogue.summary(about));
  const known = useEditor((s) => Object.keys(s.drawing.graph.nodes).length >= KNOWN);
  if (summary)
    return (
      <div className="palette-about" aria-hidden="true">
        <strong>{about}</strong>
        <span>{summary}</span>
      </div>
    );
  if (!typing)
    return (
      <div className="palette-about" data-quiet={known || undefined}>
        <span id="palette-how" className={known ? "hidden-text" : ""}>
          Drag a block onto the canvas, or click it to add it after the selected one.
        </span>
      </div>
    );
  if (told && !told.endsWith(ADDED))
    return (
      <div className="palette-about">
        <span id="palette-how" className="bad">
          {told}
        </span>
      </div>
    );
  return (
    <div className="palette-about" data-testid="palette-help">
      {first ? (
        <span id="palette-how">
          <kbd>Enter</kbd> adds <b>{first}</b>
          {words.more.length > 0 && (
            <>
              {" "}
              with <span className="mono">{words.more.join(" ")}</span>
            </>
          )}
          . Numbers are settings, ids of blocks further wires.
        </span>
      ) : (
        <span id="palette-how">
          Type a network: <b>conv2d 16</b> <kbd>Enter</kbd> <b>relu</b> <kbd>Enter</kbd> … <kbd>Tab</kbd> goes to the
          settings, <kbd>Enter</kbd> back.
        </span>
      )}
    </div>
  );
}

const ADDED = " added";
/** Whoever has drawn so many blocks knows how. */
const KNOWN = 3;

function named(all: string[], query: string): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((name) => words.every((w) => name.toLowerCase().includes(w)));
}

const WORDS = "custom block of your own in python code";

/** Whether a search may mean a block that is to be written; one without words means everything. */
function answers(query: string): boolean {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((w) => WORDS.includes(w));
}

/** Add a block after the selected one, or in the middle of what is seen. Says what became of it. */
function useAdd(): (name: string, words: Words, mode: Mode) => string {
  const { editor } = useBench();
  const flow = useReactFlow();
  const api = useStoreApi();
  return useCallback(
    (name, words, mode) => {
      const { catalogue, drawing } = editor.state;
      const composite = drawing.graph.composites?.[name] ?? catalogue.json.parts?.composites[name];
      const specs = composite ? compositeSettings(composite) : (catalogue.block(name)?.settings ?? []);
      const extras = extrasOf(name, specs, words.more);
      if (extras.trouble) return extras.trouble;
      const { width, height } = api.getState();
      const { x, y, zoom } = flow.getViewport();
      const middle = [(width / 2 - x) / zoom - 104, (height / 2 - y) / zoom - 170] as const;
      const id = (mode === "typed" ? addTyped : addNext)(editor, name, middle, extras);
      return id ? `${name} ${id}${ADDED}` : (editor.state.toast?.text ?? "");
    },
    [editor, flow, api],
  );
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
