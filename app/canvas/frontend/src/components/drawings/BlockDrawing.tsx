/** The small drawing of what a block does, from its own numbers; nothing for blocks without one. */

import { useMemo } from "react";
import { useSizes } from "../../hooks/useSizes";
import { dimMapping } from "../../model/dimMapping";
import { isExpression } from "../../model/expression";
import { sampleSizes } from "../../model/signature";
import { setting, type Sizes, windowsOf } from "../../model/slidingWindows";
import type { BlockSpec, Json, NodeAnnotation, Settings } from "../../protocol";
import { CurveDrawing } from "./CurveDrawing";
import { DropDrawing } from "./DropDrawing";
import { GateDrawing } from "./GateDrawing";
import { HeadsDrawing } from "./HeadsDrawing";
import { EmbeddingDrawing, LinearDrawing } from "./MatrixDrawing";
import { NormDrawing, type Over } from "./NormDrawing";
import { ShapeDrawing } from "./ShapeDrawing";
import { WindowDrawing } from "./WindowDrawing";

interface Props {
  id: string;
  block: string;
  spec: BlockSpec;
  given: Settings;
  note?: NodeAnnotation;
}

/** Shape and number of what comes in and goes out, and a setting as it holds here. */
interface Known extends Sizes {
  of: (name: string) => Json | undefined;
  whole: (name: string) => number;
}

export function BlockDrawing({ id, block, spec, given, note }: Props) {
  const sizes = useSizes(id, given, note);
  const windows = useMemo(() => windowsOf(block, spec, given, sizes), [block, spec, given, sizes]);
  if (Object.values(given).flat().some(isExpression)) return null;
  const of = (name: string) => note?.inferred?.[name] ?? setting(spec, given, name);
  const whole = (name: string) => (typeof of(name) === "number" ? (of(name) as number) : 0);
  if (windows.length) return <WindowDrawing windows={windows} />;
  if (spec.family === "activation" || spec.traits?.includes("elementwise"))
    return <CurveDrawing block={block} given={given} />;
  return drawn(block, { ...sizes, of, whole });
}

function drawn(block: string, known: Known) {
  const { of, whole } = known;
  if (block === "Linear" && whole("in_features") && whole("out_features")) {
    return <LinearDrawing into={whole("in_features")} out={whole("out_features")} bias={of("bias") !== false} />;
  }
  if (block === "Embedding" && whole("num_embeddings")) {
    return <EmbeddingDrawing rows={whole("num_embeddings")} width={whole("embedding_dim")} />;
  }
  const recurrent = /^(LSTM|GRU|RNN)(Cell)?$/.exec(block);
  if (recurrent && whole("input_size") && whole("hidden_size")) {
    return (
      <GateDrawing
        kind={recurrent[1] as "LSTM"}
        into={whole("input_size")}
        hidden={whole("hidden_size")}
        layers={whole("num_layers") || 1}
        both={of("bidirectional") === true}
      />
    );
  }
  return heads(known) ?? normalised(block, known) ?? dropped(block, known) ?? arranged(block, known);
}

function heads({ takes, of, whole }: Known) {
  const width = whole("embed_dim") || whole("d_model"),
    count = whole("num_heads") || whole("nhead");
  if (!width || !count) return null;
  const sizes = sampleSizes(takes);
  return <HeadsDrawing width={width} heads={count} length={of("batch_first") === true ? (sizes[0] ?? 0) : 0} />;
}

const OVER: [RegExp, Over][] = [
  [/^BatchNorm/, "batch"],
  [/^InstanceNorm/, "instance"],
  [/^GroupNorm/, "group"],
  [/^LayerNorm/, "layer"],
  [/^RMSNorm/, "rms"],
];

function normalised(block: string, { takes, of, whole }: Known) {
  const over = OVER.find(([name]) => name.test(block))?.[1];
  const sizes = sampleSizes(takes);
  if (!over || !sizes.length) return null;
  if (over === "layer" || over === "rms") {
    const shape = of("normalized_shape");
    const last = Array.isArray(shape) ? shape.join(" × ") : String(shape ?? sizes[sizes.length - 1]);
    return <NormDrawing over={over} channels={sizes[sizes.length - 1] ?? 1} each="" last={`${last} numbers`} />;
  }
  const space = sizes.slice(1);
  const each = space.length ? `${space.join(" × ")} ${space.length === 1 ? "steps" : "pixels"}` : "";
  return <NormDrawing over={over} channels={sizes[0] ?? 1} groups={whole("num_groups") || 1} each={each} last="" />;
}

const WHOLE: Record<string, string> = {
  Dropout1d: "channel",
  Dropout2d: "channel",
  Dropout3d: "channel",
  FeatureAlphaDropout: "channel",
};

function dropped(block: string, { of }: Known) {
  const p = of("p");
  if (!/^Dropout[123]?d?$/.test(block) || typeof p !== "number") return null;
  return <DropDrawing p={p} whole={WHOLE[block] ?? "number"} />;
}

function arranged(block: string, { takes, gives, of }: Known) {
  const [from = [], to = []] = [takes?.shape.map(String), gives?.shape.map(String)];
  const ways = from.length && to.length ? dimMapping(block, of, from.length, to.length) : null;
  return ways && from.length <= 6 && to.length <= 6 ? (
    <ShapeDrawing takes={from} gives={to} ways={ways} label={block} />
  ) : null;
}
