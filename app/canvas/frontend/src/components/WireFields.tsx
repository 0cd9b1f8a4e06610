/** The wires of a block as a form: everything a wire can do without a mouse. */

import { useMemo } from "react";
import { useBench, useEditor } from "../hooks/useEditor";
import { useHidesShape } from "../hooks/useLesson";
import type { Edge } from "../model/drawing";
import { connectProblem, edgeId } from "../model/graph";
import { Ports } from "../model/ports";
import { label } from "../model/signature";
import { behind } from "../model/wires";
import type { Signature } from "../protocol";
import { connect, disconnect } from "../store/editCommands";

const NONE = "";

export function WireFields({ id }: { id: string }) {
  const graph = useEditor((s) => s.drawing.graph);
  const catalogue = useEditor((s) => s.catalogue);
  const note = useEditor((s) => s.annotations.nodes[s.path + id]);
  const ports = useMemo(() => new Ports(catalogue, graph), [catalogue, graph]);
  const inputs = ports.drawn(id),
    outputs = ports.outputs(id),
    hidden = useHidesShape(id);
  return (
    <section className="section">
      <h3>Wires</h3>
      <div className="form">
        {inputs.map((port) => (
          <InputField key={port.name} id={id} port={port.name} optional={port.optional ?? false} ports={ports} />
        ))}
        {outputs.map((port) => (
          <div key={port.name} className="form-row">
            <span className="form-label">{port.name || "output"}</span>
            <span className="out-shape mono">
              {hidden ? (
                "?"
              ) : note?.outputs?.[port.name] ? (
                label(note.outputs[port.name] as Signature)
              ) : (
                <span className="muted">not known yet</span>
              )}
            </span>
          </div>
        ))}
      </div>
    </section>
  );
}

interface InputProps {
  id: string;
  port: string;
  optional: boolean;
  ports: Ports;
}

function InputField({ id, port, optional, ports }: InputProps) {
  const { editor } = useBench();
  const { graph } = ports;
  const now = graph.edges.find((e) => e.target === id && e.targetPort === port);
  const signature = useEditor((s) =>
    now ? s.annotations.nodes[s.path + now.source]?.outputs?.[now.sourcePort] : undefined,
  );
  const hidden = useHidesShape(now?.source ?? "");
  const choices = useMemo(() => sources(id, port, ports), [id, port, ports]);
  const list = choices.map((e) => `${edgeId(e)}\t${name(e, ports)}`).join("\n");
  const options = useMemo(() => list.split("\n").filter(Boolean).map(option), [list]);
  const choose = (text: string) => {
    const edge = choices.find((e) => edgeId(e) === text);
    if (edge) connect(editor, edge);
    else if (now) disconnect(editor, now);
  };
  return (
    <div className="form-row">
      <label htmlFor={`wire-${id}-${port}`}>{port || "input"}</label>
      <div>
        <select
          id={`wire-${id}-${port}`}
          className="field"
          value={now ? edgeId(now) : NONE}
          data-testid={`input-${port}`}
          onChange={(e) => choose(e.target.value)}
        >
          <option value={NONE}>{optional ? "nothing (optional)" : "nothing"}</option>
          {options}
        </select>
        {signature && <p className="help mono">{hidden ? "?" : label(signature)}</p>}
      </div>
    </div>
  );
}

function option(text: string) {
  const [id, shown] = text.split("\t");
  return (
    <option key={id} value={id}>
      {shown}
    </option>
  );
}

const NOBODY: Set<string> = new Set();

function sources(id: string, port: string, ports: Ports): Edge[] {
  const after = behind(ports.graph.edges, id);
  return Object.keys(ports.graph.nodes)
    .filter((source) => !after.has(source))
    .flatMap((source) =>
      ports.outputs(source).map((p) => ({ source, sourcePort: p.name, target: id, targetPort: port })),
    )
    .filter((edge) => edge.source !== id && connectProblem(ports.graph, edge, ports, undefined, NOBODY) === "");
}

function name(edge: Edge, ports: Ports): string {
  return ports.outputs(edge.source).length > 1 ? `${edge.source}.${edge.sourcePort}` : edge.source;
}
