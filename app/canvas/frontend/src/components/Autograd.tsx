/** The autograd graph of the step that is gone through: from the loss down, each node beside its block. */

import { useEffect, useMemo, useRef, useState } from "react";
import { useBench, useEditor } from "../hooks/useEditor";
import { useSample } from "../hooks/useSample";
import {
  type AutogradGraph,
  foldable,
  type GraphNode,
  type Lane,
  lanesOf,
  OPEN_TO_BEGIN,
  type Row,
  rowsOf,
  type Saved,
  upwards,
  width,
} from "../model/autograd";
import { shapeText } from "../model/signature";
import { briefBytes } from "../model/values";
import { showBlock } from "../store/stepping";
import { Icon } from "./icons";
import { useShownEvent } from "./Steps";

const HIGH = 26,
  LINE = 18,
  STEP = 11;

export function AutogradTab({ graph }: { graph: AutogradGraph }) {
  const blocks = useMemo(() => foldable(graph), [graph]);
  const [open, setOpen] = useState<ReadonlySet<string>>(() =>
    graph.nodes.length > OPEN_TO_BEGIN ? new Set() : blocks,
  );
  const [chosen, choose] = useState(-1);
  const rows = useMemo(() => rowsOf(graph, open), [graph, open]);
  const lanes = useMemo(() => lanesOf(rows, graph.edges), [rows, graph]);
  const lit = useLit();
  const list = useRef<HTMLOListElement>(null);
  const first = rows.findIndex(lit);
  useEffect(() => {
    if (first >= 0) list.current?.children[first]?.scrollIntoView({ block: "nearest" });
  }, [first]);
  const flip = (path: string) =>
    setOpen(open.has(path) ? new Set([...open].filter((p) => p !== path)) : new Set([...open, path]));
  if (!graph.nodes.length)
    return (
      <div className="nothing">
        <p>No weight leads to the output, so there is no autograd graph.</p>
      </div>
    );
  return (
    <section className="autograd" aria-label="Autograd graph" data-testid="autograd">
      <p className="muted">
        From the loss down, in the direction of the gradient. <strong>{graph.nodes.length}</strong> nodes save{" "}
        <strong>{briefBytes(graph.bytes)}</strong> for the backward pass, in addition to the weights.
      </p>
      <div className="autograd-bar">
        <span className="legend">
          <i className="mark" /> node <i className="mark leaf" /> parameter <i className="mark block" /> block
        </span>
        <button
          type="button"
          className="button small outline"
          data-testid="autograd-fold"
          onClick={() => setOpen(open.size ? new Set() : blocks)}
        >
          {open.size ? "Fold blocks" : "Open blocks"}
        </button>
      </div>
      <ol ref={list} aria-label="Nodes, in the order of the backward pass">
        {rows.map((row, i) => (
          <Line
            key={`${row.kind} ${row.block} ${row.nodes[0]}`}
            graph={graph}
            row={row}
            lane={lanes[i] as Lane}
            room={width(lanes)}
            lit={lit(row)}
            open={row.kind === "node" ? chosen === row.nodes[0] : row.kind === "head"}
            press={() =>
              row.kind === "node" ? choose(chosen === row.nodes[0] ? -1 : (row.nodes[0] ?? -1)) : flip(row.block)
            }
          />
        ))}
      </ol>
    </section>
  );
}

/** Which rows are of the event that is shown, or of the block that is selected. */
function useLit(): (row: Row) => boolean {
  const event = useShownEvent();
  const chosen = useEditor((s) => (s.selectedNodes.size === 1 ? s.path + [...s.selectedNodes][0] : ""));
  return (row) => {
    if (row.kind === "head") return false;
    if (event?.kind === "loss") return row.block === "";
    const wanted = event ? event.path : plain(chosen),
      here = event ? row.block : plain(row.block);
    if (!wanted || !here) return false;
    return upwards(here).includes(wanted) || (row.kind === "folded" && upwards(wanted).includes(here));
  };
}

/** A path without the numbers of repetitions, as the drawing has it. */
const plain = (path: string): string =>
  path
    .split(".")
    .filter((part) => !/^\d+$/.test(part))
    .join(".");

interface LineProps {
  graph: AutogradGraph;
  row: Row;
  lane: Lane;
  room: number;
  lit: boolean;
  open: boolean;
  press: () => void;
}

function Line({ graph, row, lane, room, lit, open, press }: LineProps) {
  const { editor } = useBench();
  const loss = useSample((s) => s.steps?.events.find((e) => e.kind === "loss")?.path ?? "");
  const node = row.kind === "node" ? graph.nodes[row.nodes[0] ?? 0] : undefined;
  const more = node && open ? Math.max(1, node.saved.length) : 0;
  const go = () => {
    press();
    if (node) showBlock(editor, row.block || loss);
  };
  return (
    <li data-lit={lit || undefined} data-kind={row.kind} data-testid="autograd-row">
      <Rails
        lane={lane}
        room={room}
        kind={!node ? "block" : node.parameter ? "leaf" : ""}
        height={HIGH + (more ? LINE * more + 6 : 0)}
      />
      <div className="autograd-told" style={{ paddingLeft: 12 * row.depth + (node && row.depth > 0 ? 5 : 0) }}>
        <button
          type="button"
          className="autograd-node"
          style={{ height: HIGH }}
          aria-expanded={open}
          title={titleOf(graph, row, node)}
          onClick={go}
        >
          {!node && <Icon name="chevron" size={11} />}
          <span className="cut">
            {node ? <code>{node.name}</code> : <strong>{nameOf(row.block)}</strong>}
            {node?.parameter && <span className="muted"> {node.parameter}</span>}
            {!node && <span className="muted"> {row.nodes.length} nodes</span>}
          </span>
          {node && row.named && <span className="muted cut autograd-block">{nameOf(row.block)}</span>}
          <span className="grow" />
          {row.bytes > 0 && row.kind !== "head" && (
            <span className="muted autograd-bytes">{briefBytes(row.bytes)}</span>
          )}
        </button>
        {node && open && <Kept graph={graph} node={node} />}
      </div>
    </li>
  );
}

const nameOf = (block: string): string => (block === "" ? "Loss" : block);

function titleOf(graph: AutogradGraph, row: Row, node: GraphNode | undefined): string {
  if (!node) return `${row.nodes.length} nodes of ${nameOf(row.block)}`;
  if (node.parameter) return `Adds the gradient to ${node.parameter} ${shapeText(node.shape)}`;
  const on = graph.edges
    .filter(([from]) => from === row.nodes[0])
    .map(([, to]) => graph.nodes[to]?.parameter || graph.nodes[to]?.name);
  return `${node.name} of ${nameOf(node.block)}${on.length ? `, next ${on.join(", ")}` : ""}`;
}

/** What a node keeps, tensor by tensor. */
function Kept({ graph, node }: { graph: AutogradGraph; node: GraphNode }) {
  if (!node.saved.length)
    return (
      <p className="autograd-kept muted">
        {node.parameter ? `${shapeText(node.shape)}: its gradient is stored in .grad` : "saves no tensor"}
      </p>
    );
  return (
    <ul className="autograd-kept mono" data-testid="autograd-kept">
      {node.saved.map((saved) => (
        <li key={saved.name} className="cut" title={`_saved_${saved.name}: ${saved.dtype} ${shapeText(saved.shape)}`}>
          {saved.name} {shapeText(saved.shape)} <span className="muted">{whose(graph, saved)}</span>
        </li>
      ))}
    </ul>
  );
}

function whose(graph: AutogradGraph, { bytes, weight, same }: Saved): string {
  if (weight) return `is ${weight}`;
  const keeper = graph.nodes[same];
  return keeper ? `saved by ${keeper.name} of ${nameOf(keeper.block)}` : briefBytes(bytes);
}

/** The lanes of one row: lines that pass, lines that end or begin at its dot. */
function Rails({
  lane,
  room,
  kind,
  height,
}: {
  lane: Lane;
  room: number;
  kind: "" | "leaf" | "block";
  height: number;
}) {
  const x = (k: number) => 7 + STEP * k,
    middle = HIGH / 2;
  const bend = (from: number, y1: number, to: number, y2: number) =>
    `M${x(from)} ${y1}C${x(from)} ${(y1 + y2) / 2} ${x(to)} ${(y1 + y2) / 2} ${x(to)} ${y2}`;
  return (
    <svg className="rails" width={x(room)} height={height} aria-hidden="true">
      {lane.above.map(([from, to]) => (
        <path key={`a${from} ${to}`} d={bend(from, 0, to, middle)} />
      ))}
      {lane.below.map(([from, to]) => (
        <path key={`b${from} ${to}`} d={`${bend(from, middle, to, HIGH)}V${height}`} />
      ))}
      {lane.dot >= 0 &&
        (kind === "block" ? (
          <rect x={x(lane.dot) - 4} y={middle - 4} width={8} height={8} rx={2} />
        ) : (
          <circle className={kind || undefined} cx={x(lane.dot)} cy={middle} r={3.5} />
        ))}
    </svg>
  );
}
