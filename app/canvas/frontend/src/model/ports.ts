/** Ports of a node and the written form of a wire: the mirror of core/graph/ports.py. */

import type { GraphJson, NodeJson, PortSpec, Settings } from "../protocol";
import { type Catalogue, UNKNOWN_PORTS } from "./catalogue";
import { isIntegerPort } from "./compatibility";
import type { Edge, Graph } from "./drawing";
import { type Wires, wiresOf } from "./wires";

type Composites = GraphJson["composites"];

/** Follow `weights_of` to the node that says which block this is. */
export function blockOf(node: NodeJson | undefined, nodes: Record<string, NodeJson>): string {
  const seen = new Set<string>();
  while (node && !node.block && node.weights_of && !seen.has(node.weights_of)) {
    seen.add(node.weights_of);
    node = nodes[node.weights_of];
  }
  return node?.block ?? "";
}

interface Ends {
  Input: PortSpec[];
  Output: PortSpec[];
}

const known = new WeakMap<NonNullable<Composites>, { catalogue: Catalogue; ends: Map<string, Ends> }>();

/** The ports of a composite: its Inputs and Outputs, of the kind that its own wires show. */
export function endsOf(block: string, composites: Composites, catalogue: Catalogue): Ends | null {
  if (!composites || !Object.hasOwn(composites, block)) return null;
  let kept = known.get(composites);
  if (kept?.catalogue !== catalogue) known.set(composites, (kept = { catalogue, ends: new Map() }));
  const before = kept.ends.get(block);
  if (before) return before;
  const read = composites[block]?.read;
  if (read) return { Input: read.inputs, Output: read.outputs };
  const { nodes = {}, edges = [] } = composites[block] ?? {};
  const names = (kind: string) => Object.keys(nodes).filter((id) => nodes[id]?.block === kind);
  const plain = (kind: string) => names(kind).map((name): PortSpec => ({ name, kind: "tensor" }));
  kept.ends.set(block, { Input: plain("Input"), Output: plain("Output") }); // while those inside are looked at
  const graph: Graph = { nodes, edges: [], composites, inner: true };
  const bare = new Ports(catalogue, graph);
  const ports = new Ports(catalogue, {
    ...graph,
    edges: edges.map((e) => bare.parse(e)).filter((e): e is Edge => e !== null),
  });
  const ends: Ends = {
    Input: names("Input").map((name) => ({ ...(ports.outputs(name)[0] as PortSpec), name })),
    Output: names("Output").map((name) => ({ ...(ports.inputs(name)[0] as PortSpec), name })),
  };
  kept.ends.set(block, ends);
  return ends;
}

/** Whether a port's wires are numbered: `name.0`, `name.1`, ... */
function listed(port: PortSpec): boolean {
  return port.kind === "tensors" || port.kind === "sizes";
}

/** The places of a list port: at least `least`, and `free` more than are used. */
function places(port: PortSpec, used: readonly string[], least: number, free = 2): PortSpec[] {
  const mine = used.filter((name) => name.startsWith(`${port.name}.`));
  const last = Math.max(-1, ...mine.map((name) => Number(name.split(".")[1])));
  const count = Math.max(least, last + free);
  return Array.from({ length: count }, (_, i) => ({ ...port, name: `${port.name}.${i}` }));
}

const PLACES = "indices",
  ASKS = "return_indices";
/** Integers that an index or an expression speaks of by a letter. */
const LETTER = /^[a-d]$/;

function speaksOf(settings: Settings, letter: string): boolean {
  return Object.values(settings).some(
    (value) => typeof value === "string" && new RegExp(`\\b${letter}\\b`).test(value),
  );
}

export class Ports {
  private whole: boolean | undefined;

  constructor(
    readonly catalogue: Catalogue,
    readonly graph: Graph,
  ) {}

  private get wires(): Wires {
    return wiresOf(this.graph.edges);
  }

  inputs(id: string): readonly PortSpec[] {
    const block = blockOf(this.graph.nodes[id], this.graph.nodes);
    if (this.graph.inner && block === "Output") return [this.end(id, "input")];
    const composite = endsOf(block, this.graph.composites, this.catalogue)?.Input;
    return composite ?? this.catalogue.block(block)?.inputs ?? UNKNOWN_PORTS;
  }

  /** The family of its block, which has a colour; that of blocks of one's own is "composite". */
  family(id: string): string {
    const block = blockOf(this.graph.nodes[id], this.graph.nodes);
    return Object.hasOwn(this.graph.composites ?? {}, block) ? "composite" : this.catalogue.family(block);
  }

  /** Output ports; a list port (chunk's pieces) shows one free place after its wires. */
  outputs(id: string): readonly PortSpec[] {
    const block = blockOf(this.graph.nodes[id], this.graph.nodes);
    if (this.graph.inner && block === "Input") return [this.end(id, "output")];
    const composite = endsOf(block, this.graph.composites, this.catalogue)?.Output;
    const declared = composite ?? this.catalogue.block(block)?.outputs ?? UNKNOWN_PORTS;
    if (!declared.some(listed)) return declared;
    const used = this.wires.from(id).map((e) => e.sourcePort);
    return declared.flatMap((port) => (listed(port) ? places(port, used, 2) : [port]));
  }

  /** Output ports as drawn: places of maxima only where they are asked for, or used. */
  given(id: string): readonly PortSpec[] {
    const all = this.outputs(id);
    if (all.length < 2 || !all.some((port) => port.name === PLACES)) return all;
    const { block = "", settings } = this.owner(id);
    const asked = !this.catalogue.block(block)?.settings.some((s) => s.name === ASKS) || settings?.[ASKS] === true;
    if (asked || this.wires.from(id).some((e) => e.sourcePort === PLACES)) return all;
    return all.filter((port) => port.name !== PLACES);
  }

  /** The node whose settings hold for `id`: itself, or the one whose weights it uses. */
  private owner(id: string): NodeJson {
    const node = this.graph.nodes[id] ?? {};
    const owner = node.weights_of && !node.block ? this.graph.nodes[node.weights_of] : undefined;
    return owner ?? node;
  }

  /** An end of a composite is what its wires make it; without any it may be a tensor or an integer. */
  private end(id: string, name: string): PortSpec {
    const others =
      name === "output"
        ? this.wires
            .from(id)
            .filter((e) => e.target !== id)
            .map((e) => this.input(e.target, e.targetPort))
        : this.wires
            .into(id)
            .filter((e) => e.source !== id)
            .map((e) => this.outputs(e.source).find((p) => p.name === e.sourcePort));
    const telling = others.find((port) => port && !port.either);
    if (!telling) return { name, kind: "tensor", either: true };
    return { name, kind: isIntegerPort(telling) ? "size" : "tensor" };
  }

  /** Input ports as drawn: a list port shows one free place after its wires. */
  drawn(id: string): PortSpec[] {
    const used = this.wires.into(id).map((e) => e.targetPort);
    const settings = this.graph.nodes[id]?.settings ?? {};
    return this.inputs(id).flatMap((port) => {
      if (port.kind === "tensors") return places(port, used, 2);
      if (port.kind === "tensor" || !port.optional) return [port];
      const wired = used.some((name) => name.split(".")[0] === port.name);
      if (!wired && !this.integers()) return []; // nothing could go there
      if (!wired && LETTER.test(port.name) && !speaksOf(settings, port.name)) return []; // nor is it asked for
      const given = settings[port.name];
      return port.kind === "size" ? [port] : places(port, used, Array.isArray(given) ? given.length : 1, 1);
    });
  }

  /** Whether any node of the graph gives integers, as a size block does. */
  private integers(): boolean {
    this.whole ??= Object.keys(this.graph.nodes).some((id) =>
      this.outputs(id).some((p) => p.kind === "size" || p.either),
    );
    return this.whole;
  }

  input(id: string, name: string): PortSpec | undefined {
    const [head, index] = name.split(".");
    return this.inputs(id).find((p) => p.name === head && (index !== undefined) === listed(p));
  }

  firstInput(id: string): string {
    const port = this.inputs(id)[0];
    return port ? (listed(port) ? `${port.name}.0` : port.name) : "";
  }

  firstOutput(id: string): string {
    return this.outputs(id)[0]?.name ?? "";
  }

  /** The first input port without a wire; undefined when all have one. */
  freeInput(id: string): string | undefined {
    const used = new Set(this.wires.into(id).map((e) => e.targetPort));
    return this.drawn(id).find((port) => !used.has(port.name))?.name;
  }

  parse(text: string): Edge | null {
    const match = /^(\w+)(?:\.(\w+(?:\.\d+)?))? -> (\w+)(?:\.(\w+(?:\.\d+)?))?$/.exec(text);
    if (!match) return null;
    const [, source = "", out, target = "", into] = match;
    const sourcePort = out ?? (this.graph.nodes[source] ? this.firstOutput(source) : "");
    const targetPort = into ?? (this.graph.nodes[target] ? this.firstInput(target) : "");
    return { source, sourcePort, target, targetPort };
  }

  write(edge: Edge): string {
    const outs = this.graph.nodes[edge.source] ? this.outputs(edge.source) : [];
    const ins = this.graph.nodes[edge.target] ? this.inputs(edge.target) : [];
    let { source: left, target: right } = edge;
    if (edge.sourcePort && outs[0]?.name !== edge.sourcePort) left += `.${edge.sourcePort}`;
    const own = Object.hasOwn(this.graph.composites ?? {}, blockOf(this.graph.nodes[edge.target], this.graph.nodes));
    const rest = own ? ins : ins.filter((p) => p.kind !== "size" && p.kind !== "sizes");
    const [first, second] = rest.length ? rest : ins;
    const only = first && !second && !listed(first) && first.name === edge.targetPort;
    if (edge.targetPort && !only) right += `.${edge.targetPort}`;
    return `${left} -> ${right}`;
  }
}
