/** What is selected: settings, wires, costs, formula and lines of source of one block. */

import { Fragment, useState } from "react";
import { useBench, useEditor } from "../hooks/useEditor";
import { useHidesParams } from "../hooks/useLesson";
import { useProbedWire } from "../hooks/useSample";
import { compositeSettings, digest } from "../model/catalogue";
import { blockOf } from "../model/ports";
import { brief, briefBytes, grouped } from "../model/values";
import type { BlockSpec, CompositeJson, NodeJson, NodeAnnotation, Settings } from "../protocol";
import { duplicate, removeSelected } from "../store/editCommands";
import { BlockMath } from "./BlockMath";
import { CompositePanel } from "./CompositePanel";
import { CompositeVerbs } from "./CompositeVerbs";
import { FaultNote } from "./Divergence";
import { HealthNote } from "./HealthMark";
import { Findings } from "./Findings";
import { Icon } from "./icons";
import { Learning } from "./Learning";
import { MultiSelection } from "./MultiSelection";
import { IdField, LabelField, RepeatField } from "./NameFields";
import { Overview } from "./Overview";
import { PlanePanel } from "./PlanePanel";
import { PinnedProbes, Probe } from "./Probe";
import { Replace } from "./Replace";
import { SettingForm } from "./SettingForm";
import { Sharing } from "./Sharing";
import { SourceLines } from "./SourceLines";
import { StepPanel, useShownEvent } from "./Steps";
import { Unused } from "./Unused";
import { WireFields } from "./WireFields";

const NO_SETTINGS: Settings = {};

export function BlockTab() {
  const chosen = useEditor((s) => s.selectedNodes);
  const inside = useEditor((s) => s.scope.length > 0);
  const wire = useProbedWire(),
    event = useShownEvent();
  if (wire)
    return (
      <>
        <Probe key={`${wire.path} ${wire.port}`} spot={wire} to={wire.to} />
        <PinnedProbes but={wire} />
      </>
    );
  if (event)
    return (
      <>
        <StepPanel event={event} />
        <PinnedProbes />
      </>
    );
  if (chosen.size === 1)
    return (
      <>
        <PlanePanel />
        <OneBlock key={[...chosen][0]} id={[...chosen][0] as string} />
      </>
    );
  if (chosen.size) return <MultiSelection count={chosen.size} />;
  return (
    <>
      <PlanePanel />
      {inside ? <CompositePanel /> : <Overview />}
      <PinnedProbes />
    </>
  );
}

function OneBlock({ id }: { id: string }) {
  const { editor } = useBench();
  const node = useEditor((s) => s.drawing.graph.nodes[id]);
  const block = useEditor((s) => blockOf(s.drawing.graph.nodes[id], s.drawing.graph.nodes));
  const spec = useEditor((s) => s.catalogue.block(block));
  const composite = useEditor((s) => s.drawing.graph.composites?.[block]);
  const note = useEditor((s) => s.annotations.nodes[s.path + id]);
  const [replacing, setReplacing] = useState(false);
  const own = useEditor((s) => settingsOf(s.drawing.graph.nodes, id));
  if (!node) return null;
  const settings = composite ? compositeSettings(composite) : (spec?.settings ?? []);
  const family = composite ? "composite" : (spec?.family ?? "unknown");
  return (
    <div className="inspector" data-testid="inspector" data-family={family}>
      <header className="inspector-head">
        <span className="dot" />
        <h2>{block || "shared weights"}</h2>
        {spec?.reference && (
          <a href={spec.reference} target="_blank" rel="noopener noreferrer">
            torch<span className="hidden-text"> documentation of {block} (opens a new tab)</span>{" "}
            <Icon name="link" size={12} />
          </a>
        )}
        <span className="grow" />
        {!node.weights_of && (
          <button
            type="button"
            className="button small icon"
            title="Replace with…"
            aria-label="Replace with another block"
            aria-expanded={replacing}
            data-testid="replace"
            onClick={() => setReplacing(!replacing)}
          >
            <Icon name="swap" size={14} />
          </button>
        )}
        <button
          type="button"
          className="button small icon"
          title="Duplicate"
          aria-label="Duplicate"
          onClick={() => duplicate(editor)}
        >
          <Icon name="copy" size={14} />
        </button>
        <button
          type="button"
          className="button small icon"
          title="Delete"
          aria-label="Delete"
          onClick={() => removeSelected(editor)}
        >
          <Icon name="trash" size={14} />
        </button>
      </header>
      <p className="summary">{about(node, block, spec, composite)}</p>
      <Unused id={id} />
      <Findings id={id} />
      <FaultNote id={id} />
      <HealthNote id={id} />
      {replacing && <Replace id={id} onClose={() => setReplacing(false)} />}
      <div className="form">
        <IdField id={id} />
      </div>
      {composite && (
        <CompositeVerbs id={id} block={block} shared={!node.block} python={composite.python !== undefined} />
      )}
      {node.weights_of ? (
        <p className="section muted">
          Shares the weights and settings of <code>{node.weights_of}</code>.
        </p>
      ) : (
        settings.length > 0 && (
          <SettingForm key={block} id={id} specs={settings} given={node.settings ?? {}} note={note} />
        )
      )}
      {!spec && !composite && node.settings && <p className="section mono">{digest(node, undefined)}</p>}
      {spec && <BlockMath id={id} block={block} spec={spec} given={own} note={note} />}
      <Learning id={id} />
      <Sharing id={id} />
      <WireFields id={id} />
      <Costs id={id} note={note} />
      <SourceLines note={note} composite={composite !== undefined} />
      <section className="section">
        <h3>On the canvas</h3>
        <div className="form">
          <LabelField id={id} label={node.label ?? ""} />
          <RepeatField id={id} repeat={node.repeat ?? 1} />
        </div>
      </section>
    </div>
  );
}

/** The settings that hold for a node: its own, or those of the node whose weights it uses. */
function settingsOf(nodes: Readonly<Record<string, NodeJson>>, id: string): Settings {
  const node = nodes[id];
  const owner = node?.weights_of && !node.block ? nodes[node.weights_of] : node;
  return owner?.settings ?? NO_SETTINGS;
}

function about(node: NodeJson, block: string, spec?: BlockSpec, composite?: CompositeJson): string {
  if (composite?.python) return composite.read?.summary ?? "";
  if (composite) {
    const count = Object.keys(composite.nodes).length;
    return `A composite of ${count} blocks; one class in the source.`;
  }
  if (spec) return spec.summary;
  return block
    ? `This version does not know ${block}; it is kept unchanged.`
    : `Uses the weights of ${node.weights_of}.`;
}

function Costs({ id, note }: { id: string; note?: NodeAnnotation }) {
  const noParams = useHidesParams(id);
  if (!note || note.state) return null;
  const rows: [string, string][] = [
    ["parameters", noParams ? "?" : grouped(note.params ?? 0)],
    ["mult-adds", note.multAdds ? `${brief(note.multAdds)} per sample` : "0"],
    ["output", note.bytes ? `${briefBytes(note.bytes)} per sample` : "0"],
  ];
  return (
    <section className="section">
      <h3>Costs</h3>
      <dl className="facts">
        {rows.map(([k, v]) => (
          <Fragment key={k}>
            <dt>{k}</dt>
            <dd>{v}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}
