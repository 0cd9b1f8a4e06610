/** What the tests share: the fixture of both sides, a small catalogue, a Python that answers. */

import fixture from "../../../../tests/app/canvas/protocol.json";
import { Catalogue } from "../src/model/catalogue";
import { fromWire } from "../src/model/graph";
import {
  type BlockSpec,
  type CatalogueJson,
  type Down,
  type GraphJson,
  type Layout,
  type Signature,
  type Up,
  VERSION,
} from "../src/protocol";
import { Editor } from "../src/store/editor";
import { Sync } from "../src/store/sync";

export { fixture };

const one = [{ name: "input", kind: "tensor" as const }];
const image = (form: string, rank: number) => [
  { name: "input", kind: "tensor" as const, dtype: "float", rank: [rank], form },
];
const out = [{ name: "output", kind: "tensor" as const }];
const number = (name: string, more = {}) => ({ name, kind: "int" as const, help: name, low: 1, ...more });

const conv: BlockSpec = {
  family: "convolution",
  summary: "Slides filters.",
  inputs: image("(N, C, H, W)", 4),
  outputs: out,
  keywords: ["kernel"],
  settings: [
    number("in_channels", { inferred: true }),
    number("out_channels", { required: true, start: 16 }),
    { name: "kernel_size", kind: "size", help: "Side.", length: 2, low: 1, required: true, start: 3, unit: "pixels" },
    { name: "stride", kind: "size", help: "Step.", length: 2, low: 1, default: 1 },
    { name: "padding", kind: "size", help: "Zeros.", length: 2, low: 0, default: 0, choices: ["same"] },
    { name: "bias", kind: "bool", help: "Constant.", default: true },
  ],
};
const plain = (family: string, more: Partial<BlockSpec> = {}): BlockSpec => ({
  family,
  summary: `A block of ${family}.`,
  inputs: one,
  outputs: out,
  settings: [],
  ...more,
});

export const blocks: Record<string, BlockSpec> = {
  Input: plain("ends", {
    inputs: [],
    settings: [{ name: "shape", kind: "dims", help: "Sizes.", required: true, start: [1, 28, 28] }],
  }),
  Output: plain("ends", { outputs: [] }),
  Conv2d: conv,
  Conv1d: { ...conv, inputs: image("(N, C, L)", 3) },
  Parameter: plain("weights", { inputs: [] }),
  Linear: plain("linear", {
    inputs: [{ name: "input", kind: "tensor", dtype: "float", rank: [2, 3, 4, 5, 6], form: "(N, *, in_features)" }],
  }),
  Embedding: plain("embedding", { inputs: [{ name: "input", kind: "tensor", dtype: "int", form: "(N, *)" }] }),
  chunk: plain("indexing", { outputs: [{ name: "output", kind: "tensors" }] }),
  reshape: plain("shape", {
    inputs: [...one, { name: "shape", kind: "sizes", optional: true }],
    settings: [{ name: "shape", kind: "dims", help: "Sizes.", required: true, start: [-1, 784] }],
  }),
  BatchNorm2d: plain("normalisation"),
  ReLU: plain("activation"),
  LSTM: plain("recurrent", {
    inputs: [...one, { name: "hx", kind: "tensor", optional: true }],
    outputs: [...out, { name: "h_n", kind: "tensor" }],
  }),
  add: plain("arithmetic", {
    inputs: [...one, { name: "other", kind: "tensor" }],
    settings: [{ name: "alpha", kind: "float", help: "Factor.", default: 1 }],
  }),
  cat: plain("arithmetic", {
    inputs: [{ name: "tensors", kind: "tensors" }],
    settings: [{ name: "dim", kind: "int", help: "Dimension.", default: 0, start: 1 }],
  }),
  size: plain("shape", { outputs: [{ name: "output", kind: "size" }] }),
};

export const catalogueJson: CatalogueJson = {
  families: [{ name: "all", title: "All", blocks: Object.keys(blocks) }],
  beginners: [
    { title: "Look at pictures", blocks: ["Conv2d"] },
    { title: "Mix features", blocks: ["Linear"] },
  ],
  blocks,
  reserved: {
    self: "used by the generated code",
    train: "an attribute that every nn.Module has",
    class: "a word of Python's grammar",
    conv9: "a name of Python's own",
    Tensor: "used by the generated code",
  },
  stems: { Input: "image", Output: "logits", Conv2d: "conv", ReLU: "relu", add: "join", cat: "cat", BatchNorm2d: "bn" },
  alone: ["image", "logits", "join", "bn"],
};
export const catalogue = new Catalogue(catalogueJson);

export const graphJson = fixture.project.graph as unknown as GraphJson;
export const layout = fixture.project.layout as unknown as Layout;
export const drawing = () => ({ graph: fromWire(graphJson, catalogue), layout, notes: [] });

/** A tensor on a wire, as Python tells of it. */
export const tensor = (shape: Signature["shape"], dtype = "float32"): Signature => ({ shape, dtype });

/** A Python that keeps what it is sent and answers when told to. */
export class Python {
  sent: Up[] = [];
  graph: GraphJson = graphJson;
  layout: Layout = layout;
  epoch = 1;
  rev = 0;
  semRev = 0;
  seq = 0;
  acked = "";
  needs = true;
  told = 0;

  constructor(public sid = "first") {}

  down(more: Partial<Down> = {}): Down {
    this.told = more.told ?? (more.annotations ? this.told + 1 : this.told);
    return {
      v: VERSION,
      doc: "d",
      sid: this.sid,
      epoch: this.epoch,
      seq: this.seq,
      ackRev: this.rev,
      annRev: this.semRev,
      ackAction: this.acked,
      name: "Two heads",
      about: "",
      place: "",
      saved: false,
      ways: [],
      acts: ["cards"],
      elsewhere: false,
      unkept: false,
      channel: "",
      ask: { token: "", batch: 64 },
      notes: null,
      fault: null,
      input: null,
      look: null,
      trained: false,
      told: this.told,
      changes: null,
      graph: this.needs ? this.graph : null,
      layout: this.needs ? this.layout : null,
      annotations: null,
      refused: null,
      catalogue: this.needs ? catalogueJson : null,
      height: null,
      ...more,
    };
  }

  /** Take the newest message, as DocSession does. */
  take(up = this.sent[this.sent.length - 1]): void {
    this.seq += 1;
    if (!up || up.sid !== this.sid || up.epoch !== this.epoch || !up.graph) return;
    this.needs = up.need.length > 0;
    if (up.rev >= this.rev) {
      this.rev = up.rev;
      this.semRev = up.semRev;
      this.graph = up.graph;
      this.layout = up.layout ?? this.layout;
      this.acked = up.action?.id ?? this.acked;
    }
  }
}

export function bench(python = new Python()) {
  const editor = new Editor("d");
  const sync = new Sync(editor, "tab");
  sync.connect((up) => python.sent.push(structuredClone(up)));
  sync.receive(python.down());
  return { editor, sync, python, answer: () => sync.receive(python.down()) };
}
