/** The selected blocks by themselves: run on what enters them, and taken home as a drawing. */

import { useEffect, useRef, useState } from "react";
import { useBench, useEditor } from "../hooks/useEditor";
import {
  type Calculated,
  type Feed,
  FEEDS,
  meant,
  milliseconds,
  named,
  type PartBlock,
  type PartEnd,
} from "../model/part";
import { short } from "../model/sample";
import { shapeText } from "../model/signature";
import { calculate, sampleOf } from "../store/part";
import { Icon } from "./icons";
import { SamplePicture } from "./SamplePicture";

const WIDTH = 132,
  HEIGHT = 28;

export function PartDialog() {
  const { editor, sync } = useBench();
  const dialog = useRef<HTMLDialogElement>(null);
  const graph = useEditor((s) => s.drawing.graph);
  const [blocks] = useState(() => meant(graph, editor.state.selectedNodes));
  const [feed, setFeed] = useState<Feed>("sample");
  const [told, setTold] = useState<Calculated | null>(null);
  const [trouble, setTrouble] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    let current = true;
    const late = (act: () => void) => {
      if (current) act();
    };
    setTrouble("");
    calculate(editor, blocks, feed).then(
      (found) => late(() => setTold(found)),
      (error: Error) =>
        late(() => {
          setTold(null);
          setTrouble(error.message);
        }),
    );
    return () => {
      current = false;
    };
  }, [editor, blocks, feed]);
  const close = () => editor.set({ overlay: null });
  const take = () => {
    sync.act("part", { within: editor.state.path, blocks, epoch: sampleOf(editor).epoch });
    close();
    editor.notify("Comparing it with the whole network, then opening it.");
  };
  return (
    <dialog
      ref={dialog}
      className="ask part"
      aria-labelledby="part-title"
      data-testid="part-dialog"
      data-feed={told?.feed}
      onClose={close}
    >
      <h2 id="part-title">
        {named(graph, blocks)}, by {blocks.length === 1 ? "itself" : "themselves"}
      </h2>
      <div className="part-feeds" role="radiogroup" aria-label="Input values">
        {(Object.keys(FEEDS) as Feed[]).map((each) => (
          <button
            key={each}
            type="button"
            role="radio"
            aria-checked={feed === each}
            className="button small outline"
            data-testid={`part-${each}`}
            onClick={() => setFeed(each)}
          >
            {FEEDS[each]}
          </button>
        ))}
      </div>
      {trouble && (
        <p className="part-said bad" role="alert" data-testid="part-trouble">
          {trouble}
        </p>
      )}
      {!told && !trouble && (
        <p className="part-said muted" role="status">
          Running {named(graph, blocks)}…
        </p>
      )}
      {told && <Told told={told} />}
      <div className="row">
        <button type="button" className="button outline" onClick={close}>
          Close
        </button>
        <button
          type="button"
          className="button primary"
          data-testid="part-export"
          aria-disabled={!told}
          title="A new project with these weights"
          onClick={() => told && take()}
        >
          Open as a new project
        </button>
      </div>
      <p className="help">
        It is saved with your other projects and keeps these weights, after a check that it gives the same values as in
        the whole network. You can then export it in every format.
      </p>
    </dialog>
  );
}

function Told({ told }: { told: Calculated }) {
  const slowest = Math.max(...told.blocks.map((each) => each.ms ?? 0), 1e-9);
  return (
    <>
      <p className="part-said" role="status" data-testid="part-told">
        <Ends title="Input" ends={told.entries} />
        <Ends title="Output" ends={told.leaves} />
        <span>
          <strong>{milliseconds(told.ms)}</strong> for one sample, {told.params.toLocaleString("en")} parameters
        </span>
        {told.equal !== null && <Equal equal={told.equal} />}
      </p>
      <div className="part-blocks scroll" tabIndex={0} role="region" aria-label="Values of each block">
        <table>
          <thead>
            <tr>
              <th scope="col">Block</th>
              <th scope="col">Value</th>
              <th scope="col">Shape</th>
              <th scope="col">Lowest, mean, highest</th>
              <th scope="col">Time</th>
            </tr>
          </thead>
          <tbody>
            {told.blocks.map((each) => (
              <Row key={each.node} block={each} slowest={slowest} />
            ))}
          </tbody>
        </table>
      </div>
      {told.along.length > 0 && (
        <p className="help">
          {told.along.join(", ")} {told.along.length === 1 ? "is" : "are"} included: needed here and the same for every
          sample.
        </p>
      )}
      <p className="help">{told.weights}. Times are the fastest of several forward passes on this machine.</p>
    </>
  );
}

function Ends({ title, ends }: { title: string; ends: PartEnd[] }) {
  return (
    <span>
      {title}{" "}
      {ends.map((end, i) => (
        <span key={end.node}>
          {i > 0 && ", "}
          <strong>{end.node}</strong> <span className="mono">{shapeText(end.shape)}</span>
        </span>
      ))}
    </span>
  );
}

function Equal({ equal }: { equal: boolean }) {
  return equal ? (
    <span className="part-equal">
      <Icon name="check" size={13} /> bit-identical to the whole network
    </span>
  ) : (
    <span className="bad">
      <Icon name="warning" size={13} /> differs from the whole network: one of these blocks uses random numbers
    </span>
  );
}

function Row({ block, slowest }: { block: PartBlock; slowest: number }) {
  const numbers = [block.min, block.mean, block.max].map((v) => (v === null ? "" : short(Number(v.toPrecision(3)))));
  return (
    <tr data-testid={`part-row-${block.node}`}>
      <th scope="row">
        <span className="cut">{block.node}</span>
        <span className="muted cut">{block.block}</span>
      </th>
      <td>{block.picture && <SamplePicture picture={block.picture} width={WIDTH} height={HEIGHT} />}</td>
      <td className="mono">{block.dtype === "size" ? "a whole number" : shapeText(block.shape)}</td>
      <td className="mono part-numbers">
        {numbers.map((text, i) => (
          <span key={i}>{text}</span>
        ))}
      </td>
      <td className="part-time">
        <span>{milliseconds(block.ms)}</span>
        <i style={{ width: `${(100 * (block.ms ?? 0)) / slowest}%` }} />
      </td>
    </tr>
  );
}
