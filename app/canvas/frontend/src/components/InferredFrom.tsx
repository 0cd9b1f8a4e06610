/** Where a value that was not given comes from: the wire, by the block at its other end. */

import { useBench, useEditor } from "../hooks/useEditor";
import { useHidesShape } from "../hooks/useLesson";
import { label } from "../model/signature";
import type { Json, SettingSpec } from "../protocol";

interface Props {
  id: string;
  spec: SettingSpec;
  inferred: Json;
}

const CHANNELS = new Set(["in_channels", "num_features", "num_channels", "num_parameters"]);
const FEATURES = new Set([
  "in_features",
  "input_size",
  "embed_dim",
  "d_model",
  "normalized_shape",
  "in1_features",
  "in2_features",
  "kdim",
  "vdim",
]);

export function InferredFrom({ id, spec, inferred }: Props) {
  const { editor } = useBench();
  const port = spec.from?.port ?? "";
  const wire = useEditor((s) =>
    s.drawing.graph.edges.find((e) => e.target === id && e.targetPort.split(".")[0] === port),
  );
  const signature = useEditor((s) =>
    wire ? s.annotations.nodes[s.path + wire.source]?.outputs?.[wire.sourcePort] : undefined,
  );
  const hidden = useHidesShape(wire?.source ?? "");
  if (!wire || !spec.from || hidden) return null;
  const kind =
    spec.from.dim === null
      ? "dimension"
      : CHANNELS.has(spec.name)
        ? "channel"
        : FEATURES.has(spec.name)
          ? "feature"
          : "";
  const what = kind ? `${kind}${inferred === 1 ? "" : "s"}` : `in dimension ${spec.from.dim}`;
  return (
    <p className="origin" data-testid={`origin-${spec.name}`}>
      from{" "}
      <button
        type="button"
        title={`Select ${wire.source}`}
        onClick={() => editor.show(editor.state.path + wire.source)}
      >
        {wire.source}
      </button>
      : {String(inferred)} {what}
      {signature ? (
        <>
          {" "}
          of <span className="mono">{label(signature)}</span>
        </>
      ) : null}
    </p>
  );
}
