/** One step of a recurrent layer: what comes in, its gates, what is handed on. */

import { Arrow, Figure } from "./Figure";

interface Props {
  kind: "LSTM" | "GRU" | "RNN";
  into: number;
  hidden: number;
  layers: number;
  both: boolean;
}

const GATES: Record<Props["kind"], [string, string][]> = {
  LSTM: [
    ["i", "what to write"],
    ["f", "what to keep"],
    ["g", "new content"],
    ["o", "what to show"],
  ],
  GRU: [
    ["r", "what to forget for n"],
    ["z", "how much to keep"],
    ["n", "new content"],
  ],
  RNN: [["h", "tanh of both"]],
};

export function GateDrawing({ kind, into, hidden, layers, both }: Props) {
  const gates = GATES[kind];
  const height = gates.length * 26 + 46;
  const middle = (gates.length * 26) / 2 + 12;
  const more = [layers > 1 ? `${layers} stacked layers.` : "", both ? "A second set of gates reads from the end." : ""]
    .filter(Boolean)
    .join(" ");
  return (
    <Figure
      width={300}
      height={height}
      caption={
        <>
          One step; the next step gets {kind === "LSTM" ? "h and c" : "h"}. Each gate has weights of {hidden} × {into}{" "}
          and {hidden} × {hidden}. {more}
        </>
      }
      label={`One step of ${kind}: ${into} features and the ${hidden} values of the previous step go into ${gates.length} gates: ${gates.map(([n, w]) => `${n}, ${w}`).join("; ")}.`}
    >
      <rect className="d-box" x={72} y={2} width={156} height={gates.length * 26 + 18} rx={8} />
      {gates.map(([name, what], i) => (
        <g key={name}>
          <rect className="d-weight" x={82} y={11 + i * 26} width={24} height={20} rx={4} />
          <text x={94} y={25 + i * 26} className="d-name small">
            {name}
          </text>
          <text x={113} y={25 + i * 26} className="d-text start">
            {what}
          </text>
        </g>
      ))}
      <Arrow x={40} y={middle} u={70} v={middle} />
      <text x={36} y={middle - 2} className="d-text end">
        h
      </text>
      <text x={36} y={middle + 11} className="d-text end">
        {hidden}
      </text>
      <Arrow x={230} y={middle} u={260} v={middle} />
      <text x={264} y={middle + 4} className="d-text start">
        h{kind === "LSTM" ? ", c" : ""}
      </text>
      <Arrow x={150} y={height - 4} u={150} v={gates.length * 26 + 22} />
      <text x={158} y={height - 8} className="d-text start">
        x: {into}
      </text>
    </Figure>
  );
}
