/** A note on the canvas, edited in place; its text is text, never markup. */

import { type NodeProps, NodeResizer } from "@xyflow/react";
import { type KeyboardEvent, memo, useEffect, useRef, useState } from "react";
import { focusBlock } from "../actions/focus";
import type { NoteFlow } from "../flow/elements";
import { useBench, useEditor } from "../hooks/useEditor";
import { cardSize } from "../model/cardSize";
import { LEAST, MOST_TEXT, noteSize } from "../model/notes";
import type { Note } from "../protocol";
import { endNote, pinNote, removeNotes, resizeNote, writeNote } from "../store/noteCommands";
import { Icon } from "./icons";

function NoteCard({ id, selected }: NodeProps<NoteFlow>) {
  const { editor } = useBench();
  const note = useEditor((s) => s.drawing.notes.find((n) => n.id === id));
  const writing = useEditor((s) => s.editedNote === id);
  const alone = useEditor((s) => s.selectedNotes.size === 1 && s.selectedNotes.has(id) && s.selectedNodes.size === 0);
  if (!note) return null;
  return (
    <div
      className="note"
      data-testid={id}
      data-pinned={note.node || undefined}
      data-selected={selected || undefined}
      onDoubleClick={() => editor.set({ editedNote: id })}
    >
      {note.node && <Tether note={note} />}
      {alone && (
        <NodeResizer
          minWidth={LEAST.width}
          minHeight={LEAST.height}
          onResizeEnd={(_, { x, y, width, height }) => resizeNote(editor, id, { width, height }, [x, y])}
        />
      )}
      {writing ? <Field note={note} /> : <Text text={note.text} />}
      {note.node && (
        <span className="note-pin" title={`Pinned to ${note.node}`}>
          <Icon name="pin" size={11} /> {note.node}
        </span>
      )}
      {alone && !writing && <Verbs note={note} />}
    </div>
  );
}

export const NoteNode = memo(NoteCard);

/** The text as far as there is room; the rest shows while the pointer is on the note, or it is selected. */
function Text({ text }: { text: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [cut, setCut] = useState(false);
  useEffect(() => {
    const area = box.current as HTMLDivElement;
    const look = () => setCut(area.scrollHeight > area.clientHeight + 2);
    const watch = new ResizeObserver(look);
    watch.observe(area.parentElement as HTMLElement);
    look();
    return () => watch.disconnect();
  }, [text]);
  return (
    <div className="note-text" ref={box} data-cut={cut || undefined}>
      {text || <i className="muted">Empty note</i>}
      {cut && (
        <div className="note-whole nowheel" data-testid="note-whole" aria-hidden="true">
          {text}
        </div>
      )}
    </div>
  );
}

function Field({ note }: { note: Note }) {
  const { editor } = useBench();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const area = field.current;
    area?.focus({ preventScroll: true });
    area?.setSelectionRange(area.value.length, area.value.length);
  }, []);
  const done = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    event.stopPropagation();
    if (event.key !== "Escape" && !(event.key === "Enter" && (event.ctrlKey || event.metaKey))) return;
    event.preventDefault();
    const root = event.currentTarget.closest<HTMLElement>(".loom");
    endNote(editor, note.id);
    if (!root) return;
    root.focus({ preventScroll: true });
    focusBlock(root, note.id);
  };
  return (
    <textarea
      ref={field}
      className="note-field nodrag nopan nowheel"
      value={note.text}
      maxLength={MOST_TEXT}
      spellCheck={false}
      aria-label={note.node ? `Note on ${note.node}` : "Note"}
      placeholder="Write a note. Esc ends it."
      data-testid={`${note.id}-field`}
      onChange={(e) => writeNote(editor, note.id, e.target.value, e.target.scrollHeight + (note.node ? 26 : 10))}
      onBlur={() => endNote(editor, note.id)}
      onKeyDown={done}
    />
  );
}

/** What can be done with the selected note, above it. */
function Verbs({ note }: { note: Note }) {
  const { editor } = useBench();
  return (
    <div className="note-verbs nodrag nopan">
      <button
        type="button"
        className="button small icon"
        title="Edit (Enter)"
        aria-label="Edit the note"
        data-testid="note-write"
        onClick={() => editor.set({ editedNote: note.id })}
      >
        <Icon name="pen" size={13} />
      </button>
      {note.node && (
        <button
          type="button"
          className="button small icon"
          title={`Unpin from ${note.node}`}
          aria-label={`Unpin from ${note.node}`}
          data-testid="note-unpin"
          onClick={() => pinNote(editor, note.id, null)}
        >
          <Icon name="pin" size={13} />
        </button>
      )}
      <button
        type="button"
        className="button small icon"
        title="Delete"
        aria-label="Delete the note"
        data-testid="note-delete"
        onClick={() => removeNotes(editor, new Set([note.id]))}
      >
        <Icon name="trash" size={13} />
      </button>
    </div>
  );
}

/** A thin line from a pinned note to its block. */
function Tether({ note }: { note: Note }) {
  const { editor } = useBench();
  const node = note.node as string;
  const direction = useEditor((s) => s.direction);
  useEditor((s) => s.drawing.graph);
  const block = cardSize(editor.ports(), node, direction),
    mine = noteSize(note);
  const [x, y] = note.at;
  const [x1, x2] = near(mine.width, -x, -x + block.width),
    [y1, y2] = near(mine.height, -y, -y + block.height);
  if (x1 === x2 && y1 === y2) return null;
  return (
    <svg className="note-tether" aria-hidden="true">
      <line x1={x1} y1={y1} x2={x2} y2={y2} />
    </svg>
  );
}

/** The nearest points of the stretches 0 to `end` and `from` to `to`. */
function near(end: number, from: number, to: number): [number, number] {
  if (from > end) return [end, from];
  if (to < 0) return [0, to];
  const middle = (Math.max(0, from) + Math.min(end, to)) / 2;
  return [middle, middle];
}
