/** A short list with a search field over the canvas; arrows and Enter choose. */

import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from "react";
import { useBench } from "../hooks/useEditor";

export interface Choice {
  key: string;
  family: string;
  text: ReactNode;
  about: ReactNode;
}

interface Props {
  label: string;
  id: string;
  className?: string;
  style?: CSSProperties;
  head?: ReactNode;
  none: string;
  find: (query: string) => Choice[];
  choose: (key: string) => void;
}

const MOST = 80;

export function Combobox({ label, id, className = "", style, head, none, find, choose }: Props) {
  const { editor } = useBench();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const mouse = useRef("");
  useEffect(() => box.current?.querySelector("input")?.focus(), []);
  const results = find(query).slice(0, MOST);
  const now = Math.min(at, results.length - 1);
  const close = () => {
    const root = box.current?.closest<HTMLElement>(".loom");
    editor.set({ overlay: null });
    root?.focus({ preventScroll: true });
  };
  const done = (key: string | undefined) => {
    if (key === undefined) return;
    close();
    choose(key);
  };
  /** A list that opens or changes under a resting mouse tells of a move too; that one chooses nothing. */
  const onMove = (event: PointerEvent, entry: number) => {
    const place = `${event.clientX} ${event.clientY}`;
    if (mouse.current && mouse.current !== place) setAt(entry);
    mouse.current = place;
  };
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Escape") close();
    if (event.key === "Enter") done(results[now]?.key);
    if (event.key === "Escape" || event.key === "Enter" || step) event.preventDefault();
    if (!step || !results.length) return;
    const next = (now + step + results.length) % results.length;
    setAt(next);
    box.current?.querySelectorAll(".entry")[next]?.scrollIntoView({ block: "nearest" });
  };
  return (
    <div
      ref={box}
      className={`pick ${className}`}
      style={style}
      role="dialog"
      aria-label={label}
      data-testid={id}
      onKeyDown={onKey}
    >
      {head && <div className="pick-head muted">{head}</div>}
      <input
        className="field"
        type="search"
        placeholder={label}
        aria-label={label}
        value={query}
        autoComplete="off"
        spellCheck={false}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={results[now] ? `${id}-${now}` : undefined}
        data-testid={`${id}-query`}
        onChange={(e) => {
          setQuery(e.target.value);
          setAt(0);
        }}
      />
      <div className="pick-list scroll" role="listbox" id={`${id}-list`} aria-label={label}>
        {results.map((c, i) => (
          <div
            key={c.key}
            id={`${id}-${i}`}
            role="option"
            className="entry"
            aria-selected={i === now}
            data-family={c.family}
            data-testid={`${id}-${c.key}`}
            onClick={() => done(c.key)}
            onPointerMove={(e) => onMove(e, i)}
          >
            <span className="stripe" />
            <span className="entry-text">
              <span className="cut">{c.text}</span>
              <small className="cut">{c.about}</small>
            </span>
          </div>
        ))}
        {!results.length && <p className="none muted">{none}</p>}
      </div>
    </div>
  );
}
