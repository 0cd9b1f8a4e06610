/** The curve of an activation: torch's own values for the settings as they stand. */

import { useEffect, useState } from "react";
import { useBench } from "../../hooks/useEditor";
import type { Curve, Settings } from "../../protocol";
import { ask } from "../../store/queries";
import { Figure } from "./Figure";

const WIDTH = 220,
  HEIGHT = 132,
  PAD = 10;
const known = new Map<string, Promise<Curve | null>>();

export function CurveDrawing({ block, given }: { block: string; given: Settings }) {
  const { editor } = useBench();
  const key = `${block} ${JSON.stringify(given)}`;
  const [curve, setCurve] = useState<{ key: string; curve: Curve | null } | null>(null);
  useEffect(() => {
    let here = true;
    if (!known.has(key)) {
      const asked = ask(editor, "curve", { block, settings: given }).catch(() => {
        known.delete(key); // a server that starts again may answer next time
        return null;
      });
      known.set(key, asked);
    }
    void known.get(key)?.then((found) => here && setCurve({ key, curve: found }));
    return () => {
      here = false;
    };
  }, [editor, key, block, given]);
  if (curve?.key !== key) return <div className="drawing" style={{ height: HEIGHT + 24 }} aria-busy="true" />;
  return curve.curve ? <Plot block={block} curve={curve.curve} /> : null;
}

function Plot({ block, curve: { x, y } }: { block: string; curve: Curve }) {
  const low = Math.min(...y, -1),
    high = Math.max(...y, 1);
  const left = x[0] ?? 0,
    right = x[x.length - 1] ?? 1;
  const px = (v: number) => PAD + ((v - left) / (right - left)) * (WIDTH - 2 * PAD);
  const py = (v: number) => HEIGHT - PAD - ((v - low) / (high - low)) * (HEIGHT - 2 * PAD);
  const line = x.map((v, i) => `${i ? "L" : "M"}${px(v).toFixed(1)} ${py(y[i] as number).toFixed(1)}`).join("");
  const zero = y[Math.floor(y.length / 2)] ?? 0;
  const shown = (v: number) => String(Number(v.toPrecision(3)));
  return (
    <Figure
      width={WIDTH}
      height={HEIGHT}
      label={`${block} of the numbers from ${left} to ${right}: ${shown(y[0] as number)} at ${left}, ${shown(zero)} at 0, ${shown(y[y.length - 1] as number)} at ${right}.`}
      caption={
        <>
          {y.length} values by torch, from {left} to {right}, with these settings.
        </>
      }
    >
      <path className="d-axis" d={`M${PAD} ${py(0)}H${WIDTH - PAD}M${px(0)} ${PAD}V${HEIGHT - PAD}`} />
      {[left, right].map((v) => (
        <text key={v} x={px(v)} y={py(0) + 12} className={v < 0 ? "d-text start" : "d-text end"}>
          {v}
        </text>
      ))}
      {[low, high].map((v) => (
        <text key={v} x={px(0) + 5} y={py(v) + (v === low ? -2 : 8)} className="d-text start">
          {shown(v)}
        </text>
      ))}
      <path className="d-curve" d={line} />
    </Figure>
  );
}
