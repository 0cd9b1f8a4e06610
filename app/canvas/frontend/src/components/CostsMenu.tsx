/** What the network costs: its parameters in the bar, the rest and the colours of the blocks below. */

import { Fragment } from "react";
import { useEditor } from "../hooks/useEditor";
import { useLesson } from "../hooks/useLesson";
import { asks } from "../model/lesson";
import { brief, grouped } from "../model/values";
import { BarMenu } from "./BarMenu";
import { HeatMenu } from "./Heat";

export function CostsMenu() {
  const params = useEditor((s) => s.annotations.params);
  const hidden = useLesson((s) => asks(s.focus, "total"));
  const text = (
    <span className="totals">
      <b data-testid="total-params">{grouped(params)}</b>{" "}
      <span className="totals-unit">{params === 1 ? "parameter" : "parameters"}</span>
    </span>
  );
  return (
    <BarMenu
      id="costs"
      kind="dialog"
      label="Costs of the network"
      title="What the network costs; colour the blocks by it (H)"
      icon={hidden ? "heat" : undefined}
      text={hidden ? <span className="hidden-text">Costs</span> : text}
    >
      {() => (
        <>
          {!hidden && <Costs />}
          <HeatMenu />
        </>
      )}
    </BarMenu>
  );
}

function Costs() {
  const { params, trainable, multAdds } = useEditor((s) => s.annotations);
  const blocks = useEditor((s) => Object.keys(s.drawing.graph.nodes).length);
  const rows: [string, string][] = [
    ["blocks", grouped(blocks)],
    ["parameters", grouped(params)],
    ...(trainable === params ? [] : ([["trainable", grouped(trainable)]] as [string, string][])),
    ["mult-adds", `${brief(multAdds)} per sample`],
  ];
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
