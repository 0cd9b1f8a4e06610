/** A block on the canvas. */

import { Handle, type NodeProps, Position, useStore as useFlow } from "@xyflow/react";
import { type CSSProperties, Fragment, memo, useContext } from "react";
import type { BlockFlow } from "../flow/elements";
import { useBench, useEditor } from "../hooks/useEditor";
import { useSaidByWire } from "../hooks/useLabelBoard";
import { useHidesParams, useHidesShape, useLessonMark } from "../hooks/useLesson";
import { useBegan, useBlockPicture, useHasPicture, useOutputScores } from "../hooks/useSample";
import { TinyContext } from "../hooks/useTiny";
import { digest } from "../model/catalogue";
import { isIntegerPort } from "../model/compatibility";
import { type Direction, labelled, nameRoom, portName, portPlace } from "../model/geometry";
import { cardSize } from "../model/cardSize";
import { blockOf, type Ports } from "../model/ports";
import { isUnused } from "../model/graph";
import { isOfPlane } from "../model/plane";
import { label } from "../model/signature";
import type { Picture } from "../model/sample";
import { growsTaller, valueRoom } from "../model/valueRoom";
import { brief, grouped } from "../model/values";
import type { NodeAnnotation, PortSpec, Problem } from "../protocol";
import { firstProblem } from "../store/annotations";
import { faultAt } from "../store/divergence";
import { FaultMark } from "./Divergence";
import { HealthMark } from "./HealthMark";
import { useWarmth, type Warmth } from "./Heat";
import { Icon } from "./icons";
import { ClassMark, PlaneTiles } from "./PlanePicture";
import { Popover } from "./Popover";
import { SamplePicture } from "./SamplePicture";
import { Scores } from "./Scores";

const FAR = 0.5,
  MIDDLE = 0.66,
  LARGER = 1.3;
/** Widths of letters on a card, roughly, and what there is for them: where they do not fit, less is said. */
const NAME_PX = 8.8,
  ID_PX = 6.7,
  HEAD_PX = 162,
  SHAPE_PX = 6.65,
  SMALL_PX = 5.9,
  FOOT_PX = 176,
  LONG = 20;
/** Room for the picture of a value on a card. */
const VALUE_PX = 178,
  VALUE_HIGH_PX = 40;
/** Sizes of the names of ports, as in canvas.css. */
const PORT_PX = 10,
  LARGE_PORT_PX = 14;
const MARKS: Record<string, string> = {
  error: "has an error",
  warning: "has a warning",
  waiting: "waits for a wire",
  unused: "not used by forward",
};
/** In place of what a lesson asks for. */
const ASKED = "The lesson asks for this value; it is shown when you have answered";
type Mark = "error" | "warning" | "waiting" | "unused";

/** Too small to read more than a name. */
export function useFar(): boolean {
  return useFlow((s) => s.transform[2] < FAR);
}

/** Too small for the settings: the name and the shape are written larger instead. */
function useMiddle(): boolean {
  return useFlow((s) => s.transform[2] >= FAR && s.transform[2] < MIDDLE);
}

/** A block as a patch in the colour of its family. */
function Patch({ id, selected }: { id: string; selected: boolean }) {
  const { editor } = useBench();
  const family = useEditor(() => editor.ports().family(id));
  const state = useEditor((s) =>
    firstProblem(s.annotations, id, s.path)?.level === "error"
      ? "error"
      : (s.annotations.nodes[s.path + id]?.state ?? "ok"),
  );
  return (
    <div
      className="block tiny"
      data-testid={`node-${id}`}
      data-state={state}
      data-family={family}
      data-selected={selected || undefined}
    />
  );
}

function BlockOrPatch(props: NodeProps<BlockFlow>) {
  return useContext(TinyContext) ? <Patch id={props.id} selected={props.selected} /> : <BlockCard {...props} />;
}

function BlockCard({ id, selected, data: { direction } }: NodeProps<BlockFlow>) {
  const { editor } = useBench();
  const node = useEditor((s) => s.drawing.graph.nodes[id]);
  const owner = useEditor((s) => s.drawing.graph.nodes[s.drawing.graph.nodes[id]?.weights_of ?? id]);
  const block = useEditor((s) => blockOf(s.drawing.graph.nodes[id], s.drawing.graph.nodes));
  const catalogue = useEditor((s) => s.catalogue);
  const composite = useEditor((s) => Object.hasOwn(s.drawing.graph.composites ?? {}, block));
  // One by one: a note whose lines moved in the source must not draw its block again.
  const reported = useEditor((s) => s.annotations.nodes[s.path + id]?.state);
  const outputs = useEditor((s) => s.annotations.nodes[s.path + id]?.outputs);
  const params = useEditor((s) => s.annotations.nodes[s.path + id]?.params);
  const first = useEditor((s) => firstProblem(s.annotations, id, s.path));
  const unused = useEditor((s) => isUnused(s.drawing.graph, id));
  const alone = useEditor((s) => s.selectedNodes.size === 1 && s.selectedNodes.has(id));
  const fault = useEditor((s) => faultAt(s, id));
  const far = useFar(),
    middle = useMiddle();
  const warm = useWarmth(id);
  const seen = useHasPicture(id),
    began = useBegan(id);
  const lesson = useLessonMark(id);
  const room = useEditor((s) => (seen ? valueRoom(s.drawing, editor.ports(), s.direction) : 0));
  if (!node) return null;
  const spec = catalogue.block(block);
  const problem = unused && first?.level === "warning" ? undefined : first;
  const loose = problem?.code === "unconnected";
  const plain = unused ? "unused" : (reported ?? (spec || composite ? "ok" : "error"));
  const state = problem ? (loose ? "waiting" : problem.level) : plain;
  const source = spec !== undefined && !spec.inputs.length && outputs !== undefined; // its wire says what it gives
  const settings = node.weights_of ? `weights of ${node.weights_of}` : source ? "" : digest(node, spec);
  const second = [node.label ? block : "", settings].filter(Boolean).join(" · ");
  const name = node.label || block || "shared";
  const marksPx =
    ((node.repeat ?? 1) > 1 ? 32 : 0) + (owner?.frozen ? 18 : 0) + ((owner?.lr_factor ?? 1) !== 1 ? 34 : 0);
  const size = middle ? LARGER : 1;
  const below = !far && (name.length * NAME_PX + id.length * ID_PX + marksPx) * size > HEAD_PX;
  const shown = seen && problem?.level !== "error";
  const grown = shown && growsTaller(editor.ports(), id) ? room : 0;
  const mark = <span className="block-id">{id}</span>;
  return (
    <div
      className={far ? "block far" : middle ? "block middle" : "block"}
      data-testid={`node-${id}`}
      data-state={state}
      data-family={composite ? "composite" : (spec?.family ?? "unknown")}
      data-selected={selected || undefined}
      data-lesson={lesson}
      data-warm={warm?.style ? true : undefined}
      data-cold={warm && !warm.style ? true : undefined}
      data-began={began || undefined}
      data-value={shown || undefined}
      style={grown ? ({ ...warm?.style, "--grown": `${grown}px` } as CSSProperties) : warm?.style}
    >
      <div className="block-body">
        <div className="block-head">
          <span
            className="block-name"
            title={name}
            data-long={name.length > (LONG - marksPx / NAME_PX) / size || undefined}
          >
            {far ? <Humps text={name} /> : name}
          </span>
          {(node.repeat ?? 1) > 1 && (
            <span className="block-repeat" title="Repeated this many times in a row">
              ×{node.repeat}
            </span>
          )}
          <Marks frozen={owner?.frozen === true} factor={owner?.lr_factor ?? 1} />
          {!below && mark}
        </div>
        {shown && <Value id={id} height={VALUE_HIGH_PX + grown} />}
        {!far && !shown && (
          <>
            <div className="block-second">
              <span className="block-settings cut" title={second}>
                {second || "\u00a0"}
              </span>
              {below && mark}
            </div>
            <Foot id={id} outputs={outputs} params={params} problem={problem} state={state} loose={loose} warm={warm} />
          </>
        )}
      </div>
      {far && state !== "ok" && (
        <span className="block-mark">
          <Icon name={state as Mark} size={34} />
          <span className="hidden-text">{MARKS[state]}</span>
        </span>
      )}
      {fault ? <FaultMark fault={fault} /> : <HealthMark id={id} />}
      <PortRow id={id} side="in" />
      <PortRow id={id} side="out" />
      {problem?.level === "error" && alone && !loose && (
        <Popover id={id} problem={problem} direction={direction} editor={editor} />
      )}
    </div>
  );
}

/** What it puts out for the sample that goes through; an Output says the likeliest answers. Drawn
 * alone when that changes: the card around it stays as it is while a pen moves. */
function Value({ id, height }: { id: string; height: number }) {
  const picture = useBlockPicture(id),
    scores = useOutputScores(id);
  if (!picture) return null;
  return (
    <div className="block-value" data-testid={`value-${id}`}>
      {isOfPlane(picture) ? (
        <OnPlane picture={picture} height={height} />
      ) : scores?.length ? (
        <Scores scores={scores} most={3} />
      ) : (
        <SamplePicture picture={picture} width={VALUE_PX} height={height} />
      )}
    </div>
  );
}

/** What it is all over the plane of two columns; an answer with the names of its classes. */
function OnPlane({ picture, height }: { picture: Picture; height: number }) {
  return (
    <>
      <PlaneTiles picture={picture} width={VALUE_PX} height={height} />
      {picture.names && (
        <span className="plane-classes">
          {picture.names.slice(0, 3).map((name, kind) => (
            <span key={name} className="cut">
              <ClassMark kind={kind} />
              {name}
            </span>
          ))}
        </span>
      )}
    </>
  );
}

export const BlockNode = memo(BlockOrPatch);

/** A name that is broken, where it must be, before its capitals: TransformerEncoderLayer has no spaces. */
function Humps({ text }: { text: string }) {
  return (
    <>
      {text.split(/(?<=[a-z])(?=[A-Z])/).map((part, i) => (
        <Fragment key={i}>
          {i > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}

/** How its weights learn, where that is not as all others do. */
function Marks({ frozen, factor }: { frozen: boolean; factor: number }) {
  if (frozen) {
    return (
      <span className="block-frozen" title="Frozen: training does not change its weights">
        <Icon name="frozen" size={13} />
        <span className="hidden-text">frozen</span>
      </span>
    );
  }
  if (factor === 1) return null;
  return (
    <span className="block-rate" title={`Trains with ${factor} times the learning rate`}>
      <span className="hidden-text">learning rate </span>×{factor} lr
    </span>
  );
}

interface FootProps {
  id: string;
  outputs: NodeAnnotation["outputs"];
  params: NodeAnnotation["params"];
  problem?: Problem;
  state: string;
  loose: boolean;
  warm: Warmth | null;
}

/** The last line: what comes out, or what is missing or wrong. Half-drawn is no error here. */
function Foot({ id, outputs, params, problem, state, loose, warm }: FootProps) {
  const noShape = useHidesShape(id),
    noParams = useHidesParams(id);
  const [port = "", first] = Object.entries(outputs ?? {})[0] ?? [];
  const said = useSaidByWire(id, port);
  if (problem && loose) {
    return (
      <div className="block-foot" title={problem.message}>
        <Icon name="waiting" size={13} /> needs a wire
      </div>
    );
  }
  if (problem) {
    return (
      <div className="block-foot" title={`${problem.message} ${problem.hint}`}>
        <Icon name={problem.level} size={13} />
        <span className="cut">{problem.message}</span>
      </div>
    );
  }
  if (state === "waiting") {
    return (
      <div className="block-foot">
        <Icon name="waiting" size={13} /> waiting for input
      </div>
    );
  }
  if (state === "error")
    return (
      <div className="block-foot">
        <Icon name="error" size={13} /> unknown block
      </div>
    );
  const shape = noShape ? "?" : first ? label(first) : "";
  const bare = said && state === "ok" && !noParams && !warm; // from further off the parameters are not written
  return (
    <div className="block-foot" data-quiet={!bare ? undefined : params ? "middle" : "always"}>
      {state === "unused" ? (
        <>
          <Icon name="unused" size={13} /> <span className="unused-words">{MARKS.unused}</span>
        </>
      ) : (
        <span className="mono block-shape" data-said={said || undefined} title={noShape ? ASKED : undefined}>
          {shape || "\u00a0"}
        </span>
      )}
      {noParams ? (
        <span className="block-params cut" title={ASKED}>
          ? params
        </span>
      ) : warm ? (
        <span className="block-params cut" title={warm.title}>
          {warm.text}
        </span>
      ) : params ? (
        <span className="block-params cut" title={`${grouped(params)} parameters`}>
          {state === "unused" ? brief(params) : counted(params, shape)}
        </span>
      ) : null}
    </div>
  );
}

/** The parameters, in a word where there is room for it beside the shape. */
function counted(params: number, shape: string): string {
  const text = `${brief(params)} ${params === 1 ? "param" : "params"}`;
  return shape.length * SHAPE_PX + text.length * SMALL_PX > FOOT_PX ? brief(params) : text;
}

/** The ports of one side: handles at the places that geometry.ts gives, named when several. */
function PortRow({ id, side }: { id: string; side: "in" | "out" }) {
  const direction = useEditor((s) => s.direction);
  const { editor } = useBench();
  const key = useEditor(() => portKey(editor.ports(), id, side));
  const ports = editor.ports();
  const [mine, across] = side === "in" ? [ports.drawn(id), ports.given(id)] : [ports.given(id), ports.drawn(id)];
  const size = cardSize(ports, id, direction);
  const ends = direction === "down" ? [Position.Top, Position.Bottom] : [Position.Left, Position.Right];
  return (
    <div className={`ports ${side} ${direction}`} data-key={key}>
      {mine.map((port, i) => {
        const [left, top] = portPlace(side, i, mine, size, direction);
        return (
          <div key={port.name}>
            <Handle
              id={port.name}
              type={side === "in" ? "target" : "source"}
              position={ends[side === "in" ? 0 : 1] as Position}
              style={{ left, top, right: "auto", bottom: "auto", transform: "translate(-50%, -50%)" }}
              data-testid={`port-${id}-${side}-${port.name}`}
              className={`${port.optional ? "optional" : ""} ${isIntegerPort(port) ? "whole" : ""}`}
              title={`${port.name}${port.form ? ` ${port.form}` : ""}${port.optional ? ", optional" : ""}`}
            />
            {labelled(mine) && (
              <PortName
                port={port}
                across={labelled(across) ? across[i] : undefined}
                direction={direction}
                place={{ left, top }}
              />
            )}
          </div>
        );
      })}
    </div>
  );
}

interface NameProps {
  port: PortSpec;
  across: PortSpec | undefined;
  direction: Direction;
  place: { left: number; top: number };
}

/** The name of a port beside its dot, cut where the one across would stand on it. */
function PortName({ port, across, direction, place }: NameProps) {
  const middle = useMiddle();
  const maxWidth =
    direction === "right" && across ? nameRoom(port, across, middle ? LARGE_PORT_PX : PORT_PX) : undefined;
  return (
    <span className="port-name cut" style={{ ...place, maxWidth }}>
      {portName(port)}
    </span>
  );
}

const keys = new WeakMap<Ports, Map<string, string>>();

/** The ports of one side as one text, written once for a drawing: every block asks at each change. */
function portKey(ports: Ports, id: string, side: "in" | "out"): string {
  let known = keys.get(ports);
  if (!known) keys.set(ports, (known = new Map()));
  const entry = `${side} ${id}`;
  let key = known.get(entry);
  if (key === undefined) {
    key = (side === "in" ? ports.drawn(id) : ports.given(id))
      .map((p) => (isIntegerPort(p) ? `#${p.name}` : p.name))
      .join(" ");
    known.set(entry, key);
  }
  return key;
}
