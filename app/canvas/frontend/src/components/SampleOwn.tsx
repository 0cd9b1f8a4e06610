/** A sample of one's own: drawn with the mouse, a picture, a sound, a row of numbers, or a text. */

import { type PointerEvent, useEffect, useRef, useState } from "react";
import { useBench } from "../hooks/useEditor";
import type { Field, Ways } from "../model/sample";
import type { Editor } from "../store/editor";
import { showOwn } from "../store/oneSample";

export function SampleOwn({ ways }: { ways: Ways }) {
  if (ways.kind === "image") return <DrawingPad />;
  if (ways.kind === "sound") return <SoundPad />;
  if (ways.kind === "text") return <TextEntry length={ways.length ?? 0} part={ways.cut === "end" ? "first" : "last"} />;
  if (ways.fields?.length) return <Fields ways={ways} fields={ways.fields} />;
  if (ways.kind) return <Row ways={ways} />;
  return <p className="muted">{ways.why}</p>;
}

const SIDE = 224,
  SENT = 56,
  PEN = 22,
  LARGEST = 4 << 20;

/** White strokes on black; what is drawn is sent while it is drawn. */
function DrawingPad() {
  const { editor } = useBench();
  const surface = useRef<HTMLCanvasElement>(null);
  const last = useRef<[number, number] | null>(null);
  const pen = () => surface.current?.getContext("2d", { willReadFrequently: true });
  const clear = () => {
    const p = pen();
    if (!p) return;
    p.fillStyle = "#000";
    p.fillRect(0, 0, SIDE, SIDE);
  };
  useEffect(clear, []);
  const pointOf = (e: PointerEvent): [number, number] => {
    const box = e.currentTarget.getBoundingClientRect();
    return [((e.clientX - box.left) / box.width) * SIDE, ((e.clientY - box.top) / box.height) * SIDE];
  };
  const draw = (e: PointerEvent) => {
    const p = pen(),
      from = last.current;
    if (!p || !from) return;
    const to = pointOf(e);
    Object.assign(p, { strokeStyle: "#fff", lineWidth: PEN, lineCap: "round", lineJoin: "round" });
    p.beginPath();
    p.moveTo(...from);
    p.lineTo(...to);
    p.stroke();
    last.current = to;
    showOwn(editor, { drawing: ink(p), shape: [SENT, SENT] });
  };
  const begin = (e: PointerEvent<HTMLCanvasElement>) => {
    e.currentTarget.setPointerCapture(e.pointerId);
    last.current = pointOf(e);
    draw(e);
  };
  return (
    <div
      className="sample-drawn"
      data-testid="sample-drop"
      onDragOver={(e) => e.preventDefault()}
      onDrop={(e) => {
        e.preventDefault();
        void readFile(editor, e.dataTransfer.files[0], "picture");
      }}
    >
      <canvas
        ref={surface}
        className="sample-surface"
        width={SIDE}
        height={SIDE}
        role="img"
        aria-label="Drawing area for mouse, pen or finger"
        data-testid="sample-surface"
        onPointerDown={begin}
        onPointerMove={draw}
        onPointerUp={() => {
          last.current = null;
        }}
      />
      <div className="sample-verbs">
        <button type="button" className="button small outline" data-testid="sample-clear" onClick={clear}>
          Clear
        </button>
        <OwnFile kind="picture" />
        <p className="muted">Draw something: the prediction updates as you draw. Or drop a picture here.</p>
      </div>
    </div>
  );
}

/** The surface made smaller, as bytes of brightness in base64. */
function ink(pen: CanvasRenderingContext2D): string {
  const { data } = pen.getImageData(0, 0, SIDE, SIDE);
  const each = SIDE / SENT,
    bytes = new Uint8Array(SENT * SENT);
  for (let y = 0; y < SENT; y++) {
    for (let x = 0; x < SENT; x++) {
      let sum = 0;
      for (let i = 0; i < each * each; i++)
        sum += data[4 * ((y * each + Math.floor(i / each)) * SIDE + x * each + (i % each))] ?? 0;
      bytes[y * SENT + x] = sum / (each * each);
    }
  }
  return btoa(String.fromCharCode(...bytes));
}

/** A sound's file, chosen or dropped. */
function SoundPad() {
  const { editor } = useBench();
  return (
    <div
      className="sample-drawn"
      data-testid="sample-drop"
      onDragOver={(e) => e.preventDefault()}
      onDrop={(e) => {
        e.preventDefault();
        void readFile(editor, e.dataTransfer.files[0], "sound");
      }}
    >
      <div className="sample-verbs">
        <OwnFile kind="sound" />
        <p className="muted">Or drop a WAV, FLAC or OGG here. The Train page records one with the microphone.</p>
      </div>
    </div>
  );
}

type FileKind = "picture" | "sound";

/** Send the bytes of a picture's or sound's file. */
async function readFile(editor: Editor, file: File | undefined, kind: FileKind): Promise<void> {
  if (!file) return;
  if (file.size > LARGEST) return editor.notify(`The ${kind} must be 4 MB or smaller.`, "error");
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  showOwn(editor, kind === "picture" ? { picture: btoa(text) } : { sound: btoa(text) });
}

function OwnFile({ kind }: { kind: FileKind }) {
  const { editor } = useBench();
  return (
    <label className="button small outline sample-file">
      A {kind}…
      <input
        type="file"
        className="hidden-text"
        accept={kind === "picture" ? "image/*" : "audio/*"}
        data-testid="sample-file"
        onChange={(e) => {
          void readFile(editor, e.target.files?.[0], kind);
          e.target.value = "";
        }}
      />
    </label>
  );
}

function TextEntry({ length, part }: { length: number; part: string }) {
  const { editor } = useBench();
  const most = 4 * length; // more than is used, by far less than what can be pasted
  const send = (text: string) => showOwn(editor, { text: part === "first" ? text.slice(0, most) : text.slice(-most) });
  return (
    <label className="sample-typed">
      <span className="muted">
        Your text (the {part} {length} characters are used)
      </span>
      <input className="field" data-testid="sample-text" onChange={(e) => send(e.target.value)} />
    </label>
  );
}

/** A row of a table as its file writes it, beginning with the sample that was shown: field by field, or a whole line. */
function Fields({ ways, fields }: { ways: Ways; fields: Field[] }) {
  const { editor } = useBench();
  const [typed, setTyped] = useState(() => ways.cells ?? []);
  const [line, setLine] = useState("");
  const cells = line ? (ways.cells ?? typed) : typed;
  const send = (next: string[]) => {
    setLine("");
    setTyped(next);
    showOwn(editor, { cells: next });
  };
  useEffect(() => send(cells), []);
  const sendLine = (next: string) => {
    setLine(next);
    showOwn(editor, next.trim() ? { line: next } : { cells: typed });
  };
  return (
    <div className="sample-fields" role="group" aria-label="A row of your own" data-testid="sample-fields">
      {fields.map((field, k) => (
        <CellEntry
          key={k}
          field={field}
          text={cells[k] ?? ""}
          take={(text) => send(fields.map((_, i) => (i === k ? text : (cells[i] ?? ""))))}
        />
      ))}
      <label className="sample-line">
        <span className="muted">Or a whole line, as the file has it</span>
        <textarea
          className="field mono"
          rows={1}
          value={line}
          spellCheck={false}
          data-testid="sample-line"
          onChange={(e) => sendLine(e.target.value)}
        />
      </label>
    </div>
  );
}

interface CellProps {
  field: Field;
  text: string;
  take: (text: string) => void;
}

/** One cell of the row; where training filled missing values of its column, it may be left empty. */
function CellEntry({ field, text, take }: CellProps) {
  const { name, filler } = field;
  return (
    <label>
      <span className="muted cut" title={name}>
        {name.replaceAll("_", " ")}
      </span>
      {field.words.length ? (
        <WordEntry field={field} text={text} take={take} />
      ) : (
        <TypedEntry field={field} text={text} take={take} />
      )}
      {filler && text.trim() === "" && (
        <span className="muted" role="status" data-testid={`sample-missing-${name}`}>
          missing: replaced by {filler}
        </span>
      )}
    </label>
  );
}

function WordEntry({ field: { name, words, fill }, text, take }: CellProps) {
  return (
    <select className="field" value={text} data-testid={`sample-field-${name}`} onChange={(e) => take(e.target.value)}>
      {words.map((word) => (
        <option key={word}>{word}</option>
      ))}
      {fill && <option value="">(missing)</option>}
    </select>
  );
}

/** A number or a date in the file's own spelling; what can be neither is marked, and Python says why. */
function TypedEntry({ field: { name, date, fill }, text, take }: CellProps) {
  const bad = text.trim() === "" ? !fill : !/\p{Nd}/u.test(text);
  return (
    <input
      className="field mono"
      inputMode={date ? undefined : "decimal"}
      value={text}
      aria-invalid={bad || undefined}
      data-testid={`sample-field-${name}`}
      placeholder={fill ? "missing" : date}
      title={date && `Such as ${date}`}
      onChange={(e) => take(e.target.value)}
    />
  );
}

const SPACES = /[\s,;]+/;

function Row({ ways }: { ways: Ways }) {
  const { editor } = useBench();
  const columns = ways.columns ?? [];
  const [text, setText] = useState(() => columns.map(([, mean]) => Number(mean.toPrecision(3))).join(" "));
  const send = (next: string) => {
    setText(next);
    showOwn(editor, { row: next.split(SPACES).filter(Boolean).map(Number).filter(Number.isFinite) });
  };
  useEffect(() => send(text), []);
  const names = columns.map(([name]) => name).join(", ");
  return (
    <label className="sample-typed">
      <span className="muted">
        {ways.length} numbers{names && `: ${names}`}
        {columns.length > 0 && "; starting from the training averages"}
      </span>
      <input className="field mono" value={text} data-testid="sample-numbers" onChange={(e) => send(e.target.value)} />
    </label>
  );
}
