/** The plane in the side panel: what the network answers all over it, and every unit of the block that is chosen. */

import { type PointerEvent, useState } from "react";
import { usePlane } from "../hooks/useSample";
import { readAt, spokenPlane } from "../model/plane";
import { type Plane, short } from "../model/sample";
import { ClassMark, PlanePicture } from "./PlanePicture";

/** The large picture is as wide as the panel, and drawn with twice so many pixels. */
const LARGE = 640,
  UNIT = 78;

export function PlanePanel() {
  const plane = usePlane();
  if (!plane) return null;
  return (
    <section className="inspector plane" aria-label="The plane" data-testid="plane">
      <header className="inspector-head">
        <h2>The plane of {plane.columns.join(" and ")}</h2>
      </header>
      <Large plane={plane} />
      <Legend plane={plane} />
      {plane.units && <Units plane={plane} units={plane.units} />}
      {!plane.units && (
        <p className="help">
          Choose a block: each of its units is a function of {plane.columns.join(" and ")}, and shown here.
        </p>
      )}
    </section>
  );
}

function Large({ plane }: { plane: Plane }) {
  const [read, setRead] = useState("");
  const move = (e: PointerEvent) => {
    const box = e.currentTarget.getBoundingClientRect();
    const share = (at: number) => Math.min(1, Math.max(0, at));
    setRead(readAt(plane, share((e.clientX - box.left) / box.width), share((e.clientY - box.top) / box.height)));
  };
  const { across, up, columns, region } = plane;
  return (
    <>
      <div className="plane-large">
        <span className="plane-up">
          <span>{short(three(up[1]))}</span>
          <span>{columns[1]}</span>
          <span>{short(three(up[0]))}</span>
        </span>
        <span
          className="plane-hover"
          data-testid="plane-region"
          onPointerMove={move}
          onPointerLeave={() => setRead("")}
        >
          <PlanePicture
            picture={region ?? EMPTY}
            unit={0}
            size={LARGE}
            plane={plane}
            label={region ? spokenPlane(region) : "The samples"}
          />
        </span>
        <span className="plane-across">
          <span>{short(three(across[0]))}</span>
          <span>{columns[0]}</span>
          <span>{short(three(across[1]))}</span>
        </span>
      </div>
      <p className="plane-read mono" data-testid="plane-read">
        {read || "\u00a0"}
      </p>
    </>
  );
}

const EMPTY = { kind: "units" as const, shape: [0, 0, 0] as [number, number, number] };
const three = (value: number): number => Number(value.toPrecision(3));

function Legend({ plane: { samples, region } }: { plane: Plane }) {
  const shown = samples.places.length;
  return (
    <ul className="plane-legend" aria-label="What the marks mean">
      {samples.classes.map((name, kind) => (
        <li key={name}>
          <ClassMark kind={kind} />
          {name}
        </li>
      ))}
      <li>
        <ClassMark kind={0} plain />
        training samples
      </li>
      <li>
        <ClassMark kind={0} hollow plain />
        validation samples
      </li>
      {region?.kind === "classes" && (
        <li className="wide muted">
          Background: the predicted class; a stronger colour means more confidence. The line is the decision boundary.
        </li>
      )}
      {region?.kind === "surface" && (
        <li className="wide muted">
          Background: the prediction, from {short(region.ends?.low)} to {short(region.ends?.high)};{" "}
          {(region.ends?.low ?? 0) < 0 ? "below 0 in the other colour" : "a stronger colour means a larger value"}.
        </li>
      )}
      {shown < samples.of && (
        <li className="wide muted">
          {shown.toLocaleString("en")} of {samples.of.toLocaleString("en")} samples are drawn.
        </li>
      )}
    </ul>
  );
}

function Units({ plane, units }: { plane: Plane; units: NonNullable<Plane["units"]> }) {
  const count = units.shape?.[0] ?? 0,
    { low, high } = units.ends ?? units;
  return (
    <section className="section" aria-label={`Units of ${units.path}`} data-testid="plane-units">
      <h3>
        {count === units.of ? `${count} units` : `${count} of ${units.of} units`} of {units.path}
      </h3>
      <ul className="plane-units">
        {Array.from({ length: count }, (_, unit) => (
          <li key={unit}>
            <PlanePicture picture={units} unit={unit} size={UNIT} label={spokenPlane(units, unit)} />
            <span className="muted">{unit}</span>
          </li>
        ))}
      </ul>
      <p className="plane-scale">
        <span className="mono">{short(low)}</span>
        <i aria-hidden="true" data-signed={(low ?? 0) < 0 || undefined} />
        <span className="mono">{short(high)}</span>
      </p>
      <p className="help">
        One scale for all. The line is where a unit goes through 0. {plane.columns[0]} runs to the right,{" "}
        {plane.columns[1]} up.
      </p>
    </section>
  );
}
