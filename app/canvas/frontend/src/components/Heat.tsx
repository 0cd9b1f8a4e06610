/** The heat map: its menu on the toolbar, its legend on the canvas, the warmth of one block. */

import { type CSSProperties, useMemo } from "react";
import { useBlockTimes } from "../hooks/useBlockTimes";
import { useBench, useEditor } from "../hooks/useEditor";
import { cost, type Measure, MEASURES, middle, type Scale, scaleOf, told, warmth, written } from "../model/heat";
import { measure, blockTimesStore } from "../store/blockTimes";
import { Icon } from "./icons";
import { MeasurePanel } from "./MeasurePanel";

const NAMES = Object.keys(MEASURES) as Measure[];

export function HeatMenu() {
  const { editor } = useBench();
  const heat = useEditor((s) => s.heat);
  const choose = (next: Measure | "") => {
    editor.set({ heat: next });
    if (next === "time" && !blockTimesStore(editor).getState().at) void measure(editor);
  };
  return (
    <label className="heat-menu" title="Colour the blocks by their cost" data-on={heat !== "" || undefined}>
      <Icon name="heat" />
      <span className="hidden-text">Colour the blocks by</span>
      <select value={heat} data-testid="toolbar-heat" onChange={(e) => choose(e.target.value as Measure | "")}>
        <option value="">families</option>
        {NAMES.map((name) => (
          <option key={name} value={name}>
            {MEASURES[name].title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The shown nodes as the report calls them. */
const paths = (nodes: object, path: string): string[] => Object.keys(nodes).map((id) => path + id);

function useScale(): Scale | null {
  const heat = useEditor((s) => s.heat);
  const nodes = useEditor((s) => s.drawing.graph.nodes);
  const measured = useBlockTimes(useBench().editor).notes;
  const analysed = useEditor((s) => s.annotations.nodes);
  const notes = heat === "time" ? measured : analysed;
  const path = useEditor((s) => s.path);
  return useMemo(() => (heat ? scaleOf(paths(nodes, path), notes, heat) : null), [heat, nodes, notes, path]);
}

export function HeatLegend() {
  const { editor } = useBench();
  const heat = useEditor((s) => s.heat);
  const scale = useScale();
  if (!heat) return null;
  const close = () => editor.set({ heat: "" });
  return (
    <section className="heat-legend" aria-label="Legend" data-testid="heat-legend">
      <header>
        <strong title={MEASURES[heat].about}>{MEASURES[heat].title}</strong>
        <span className="muted">
          {scale ? `${written(scale.total, heat)} in total` : heat === "time" ? "" : "no block has any"}
        </span>
      </header>
      {scale && (
        <>
          <p className="muted">
            per block{heat === "multAdds" || heat === "bytes" ? " and sample" : ""}, on a log scale
          </p>
          <div className="heat-ramp" aria-hidden="true" />
          <div className="heat-ticks">
            <span>{written(scale.low, heat)}</span>
            {scale.high > 4 * scale.low && <span>{written(middle(scale), heat)}</span>}
            {scale.high > scale.low && <span>{written(scale.high, heat)}</span>}
          </div>
        </>
      )}
      {heat === "time" && <MeasurePanel />}
      <button
        type="button"
        className="button small icon"
        aria-label="No heat map"
        data-testid="heat-off"
        onClick={close}
      >
        <Icon name="cross" size={12} />
      </button>
    </section>
  );
}

export interface Warmth {
  style: CSSProperties | undefined;
  text: string;
  title: string;
}

const scales = new WeakMap<object, Map<string, Scale | null>>();

/** What one block costs, as a colour and a number; null while the heat map is off. */
export function useWarmth(id: string): Warmth | null {
  const heat = useEditor((s) => s.heat);
  const measured = useBlockTimes(useBench().editor).notes;
  const key = useEditor((s) =>
    s.heat
      ? warmthKey(s.heat === "time" ? measured : s.annotations.nodes, s.drawing.graph.nodes, s.heat, s.path, id)
      : "",
  );
  if (!heat || !key) return null;
  const [value = 0, low = 0, high = 0, total = 0] = key.split(" ").map(Number);
  const scale = { low, high, total };
  const warm = warmth(value, scale);
  if (warm === null) return { style: undefined, text: "", title: "" };
  const style = { "--warmth": `${Math.round(100 * warm)}%` } as CSSProperties;
  return { style, text: written(value, heat), title: told(value, heat, scale) };
}

/** One text, so that only blocks whose colour or number changes are drawn again. */
function warmthKey(
  notes: Parameters<typeof scaleOf>[1],
  nodes: object,
  heat: Measure,
  path: string,
  id: string,
): string {
  let known = scales.get(notes);
  if (!known) scales.set(notes, (known = new Map()));
  const key = `${heat} ${path}`;
  if (!known.has(key)) known.set(key, scaleOf(paths(nodes, path), notes, heat));
  const scale = known.get(key);
  return scale ? `${cost(notes[path + id], heat)} ${scale.low} ${scale.high} ${scale.total}` : "";
}
