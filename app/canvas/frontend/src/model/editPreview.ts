/** What a fix would change, in words and as places on the canvas, before it is carried out. */

import type { Finding, Fix, NodeJson, PlacedEdit, SettingSpec, Settings } from "../protocol";
import { type Catalogue, same } from "./catalogue";
import type { Drawing, Edge } from "./drawing";
import { applyEdits } from "./edits";
import { edgeId } from "./graph";
import { inside } from "./scope";
import { showValue } from "./values";

export interface Change {
  sign: "+" | "−" | "→";
  text: string;
}

/** What is drawn over the canvas; `composite` says in whose graph, "" is the whole network. */
export interface Ghost {
  composite: string;
  added: { id: string; block: string; at: [number, number] }[];
  gone: string[];
  changed: string[];
  wires: Edge[];
  cut: Edge[];
}

export interface Preview {
  list: Change[];
  ghosts: Ghost[];
}

/** Carry the edits out on a copy and compare. Throws Refused where that cannot be done. */
export function changesOf(before: Drawing, edits: readonly PlacedEdit[], catalogue: Catalogue): Preview {
  const after = applyEdits(before, edits, catalogue);
  const places = [...new Set(edits.map((edit) => edit.composite ?? ""))];
  const parts = places.map((place) => {
    const at = (whole: Drawing) => (place ? inside(whole, place, catalogue) : whole);
    return new Comparison(place, at(before), at(after), catalogue);
  });
  return { list: parts.flatMap((part) => part.list()), ghosts: parts.map((part) => part.ghost()) };
}

const wire = (e: Edge): string => `${e.source} → ${e.target}${e.targetPort ? `.${e.targetPort}` : ""}`;

class Comparison {
  private readonly added: string[];
  private readonly gone: string[];
  private readonly kept: string[];
  private readonly wires: Edge[];
  private readonly cut: Edge[];

  constructor(
    private readonly place: string,
    private readonly before: Drawing,
    private readonly after: Drawing,
    private readonly catalogue: Catalogue,
  ) {
    const old = before.graph.nodes,
      next = after.graph.nodes;
    this.added = Object.keys(next).filter((id) => !Object.hasOwn(old, id));
    this.gone = Object.keys(old).filter((id) => !Object.hasOwn(next, id));
    this.kept = Object.keys(next).filter((id) => Object.hasOwn(old, id) && !same(old[id] as never, next[id] as never));
    const oldWires = new Set(before.graph.edges.map(edgeId)),
      newWires = new Set(after.graph.edges.map(edgeId));
    this.wires = after.graph.edges.filter((e) => !oldWires.has(edgeId(e)));
    this.cut = before.graph.edges.filter((e) => !newWires.has(edgeId(e)));
  }

  list(): Change[] {
    const where = this.place ? ` (in ${this.place})` : "";
    const changes: Change[] = [
      ...this.gone.map((id): Change => ({ sign: "−", text: `${id}, ${this.block(this.before, id)}` })),
      ...this.added.map((id): Change => ({ sign: "+", text: this.addedText(id) })),
      ...this.kept.flatMap((id) => this.changed(id)),
      ...this.wires
        .filter((e) => !this.isNew(e.source) && !this.isNew(e.target))
        .map((e): Change => ({ sign: "+", text: `wire ${wire(e)}` })),
      ...this.cut.filter((e) => !this.explained(e)).map((e): Change => ({ sign: "−", text: `wire ${wire(e)}` })),
    ];
    return changes.map((change) => ({ ...change, text: change.text + where }));
  }

  ghost(): Ghost {
    const { layout } = this.after;
    return {
      composite: this.place,
      gone: this.gone,
      changed: this.kept,
      wires: this.wires,
      cut: this.cut,
      added: this.added.map((id) => ({ id, block: this.block(this.after, id), at: layout[id] ?? this.besides(id) })),
    };
  }

  private isNew = (id: string): boolean => this.added.includes(id);

  /** A cut wire needs no line of its own where a block went in between, or one of its ends away. */
  private explained(e: Edge): boolean {
    if (this.gone.includes(e.source) || this.gone.includes(e.target)) return true;
    return this.wires.some((w) => w.target === e.target && w.targetPort === e.targetPort);
  }

  private besides(id: string): [number, number] {
    const edge = this.after.graph.edges.find((e) => e.target === id || e.source === id);
    const near = edge && this.after.layout[edge.target === id ? edge.source : edge.target];
    if (!edge || !near) return [0, 0];
    return [near[0], near[1] + (edge.target === id ? 130 : -130)];
  }

  private block(drawing: Drawing, id: string): string {
    const node = drawing.graph.nodes[id];
    return node?.block || (node?.weights_of ? `the weights of ${node.weights_of}` : "");
  }

  private addedText(id: string): string {
    const node = this.after.graph.nodes[id] as NodeJson;
    const given = Object.entries(node.settings ?? {})
      .map(([k, v]) => `${k}=${showValue(v)}`)
      .join(", ");
    const from = this.after.graph.edges.find((e) => e.target === id)?.source;
    const to = this.after.graph.edges.find((e) => e.source === id)?.target;
    const between = from && to ? ` between ${from} and ${to}` : from ? ` after ${from}` : to ? ` before ${to}` : "";
    return `${id}, ${node.block}${given ? `(${given})` : ""}${between}`;
  }

  private changed(id: string): Change[] {
    const old = this.before.graph.nodes[id] as NodeJson,
      next = this.after.graph.nodes[id] as NodeJson;
    const changes: Change[] = [];
    const say = (text: string) => changes.push({ sign: "→", text: `${id}: ${text}` });
    if (next.weights_of !== old.weights_of)
      say(next.weights_of ? `shares the weights of ${next.weights_of}` : "has weights of its own");
    else if (next.block !== old.block) say(`${old.block} → ${next.block}`);
    if ((next.repeat ?? 1) !== (old.repeat ?? 1)) say(`repeat ${old.repeat ?? 1} → ${next.repeat ?? 1}`);
    if ((next.frozen ?? false) !== (old.frozen ?? false)) say(next.frozen ? "is frozen" : "is no longer frozen");
    if ((next.lr_factor ?? 1) !== (old.lr_factor ?? 1))
      say(`learning rate ×${old.lr_factor ?? 1} → ×${next.lr_factor ?? 1}`);
    if (next.block === old.block || next.block) for (const text of this.settings(old, next)) say(text);
    return changes;
  }

  private settings(old: NodeJson, next: NodeJson): string[] {
    const was: Settings = old.settings ?? {},
      is: Settings = next.settings ?? {};
    const specs = this.catalogue.block(next.block ?? "")?.settings ?? [];
    const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    if (next.block !== old.block) return names.filter((n) => n in is).map((n) => `${n} ${showValue(is[n])}`);
    const shown = (settings: Settings, name: string) =>
      usual(
        specs.find((s) => s.name === name),
        settings,
        name,
      );
    return names.filter((n) => !same(was[n], is[n])).map((n) => `${n} ${shown(was, n)} → ${shown(is, n)}`);
  }
}

function usual(spec: SettingSpec | undefined, settings: Settings, name: string): string {
  if (settings[name] !== undefined) return showValue(settings[name]);
  if (spec?.inferred) return "from the wire";
  return spec?.default === undefined ? "nothing" : `${showValue(spec.default)} (torch's default)`;
}

/** One sentence why: what the new block does, what the setting is, or the hint of the finding. */
export function reasonFor(fix: Fix, finding: Finding, catalogue: Catalogue, blockOf: (id: string) => string): string {
  const edit = fix.edits[0];
  if (!edit) return finding.hint;
  if (edit.op === "insert" || edit.op === "replace" || (edit.op === "add" && edit.block !== "Output")) {
    const summary = catalogue.block(edit.block)?.summary;
    if (summary) return `${edit.block}: ${summary}`;
  }
  if (edit.op === "set") {
    const name = Object.keys(edit.settings)[0] ?? "";
    const spec = catalogue.block(blockOf(edit.node))?.settings.find((s) => s.name === name);
    if (spec?.help) return `${name}: ${spec.help}`;
  }
  return finding.hint;
}
