/** Written by `python -m app.canvas.typescript` from app/canvas/messages; do not edit. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type Settings = Record<string, Json>;

export type Count = number;

/** A node as the project file writes it; unknown keys are kept. */
export interface NodeJson {
  block?: string;
  settings?: Settings;
  label?: string;
  repeat?: number;
  weights_of?: string;
  /** Training leaves its weights as they are. */
  frozen?: boolean;
  /** What the learning rate of its weights is multiplied by. */
  lr_factor?: number;
  /** Forward does not call it: it is constructed, and its weights are kept. */
  unused?: boolean;
}

/** A graph as the project file writes it. */
export interface GraphJson {
  nodes: Record<string, NodeJson>;
  edges: string[];
  composites?: Record<string, CompositeJson>;
}

/** A composite of the project, or a custom block. */
export interface CompositeJson extends GraphJson {
  settings?: Settings;
  /** A custom block: the lines of its Python class. It has no blocks and wires of its own. */
  python?: string[];
  /** What Python read off these lines; it does so again whenever they come back. */
  read?: ReadOff;
}

/** A port of a block. */
export interface PortSpec {
  name: string;
  kind: "tensor" | "tensors" | "size" | "sizes";
  optional?: boolean;
  dtype?: string;
  /** Numbers of dimensions that fit, batch included; none is any. */
  rank?: number[];
  form?: string;
  help?: string;
}

/** Where the size of a setting is read. */
export interface InferredFrom {
  port: string;
  dim: number | null;
}

/**
 * The wire that decides it: the size of dimension `dim` of what comes into `port`.
 *
 * null is the number of dimensions.
 */
export interface InferredSetting {
  from?: InferredFrom;
}

/** A setting of a block. */
export interface SettingSpec extends InferredSetting {
  name: string;
  kind: "int" | "float" | "bool" | "choice" | "text" | "size" | "dims";
  help: string;
  default?: Json;
  required?: boolean;
  start?: Json;
  low?: number | null;
  high?: number | null;
  choices?: string[];
  length?: number;
  unit?: string;
  optional?: boolean;
  inferred?: boolean;
  pattern?: string;
  /** A `float` that may be a list of numbers as well, of `length` if that is not 0. */
  several?: boolean;
  /** The version of torch that has it first. */
  since?: string;
  /** A form shows it at once; the others fold away. */
  main?: boolean;
}

/** Ports and settings of a custom block, as its class has them. */
export interface ReadOff {
  summary: string;
  inputs: PortSpec[];
  outputs: PortSpec[];
  settings: SettingSpec[];
}

/** A block of the catalogue. */
export interface BlockSpec extends ReadOff {
  family: string;
  formula?: string;
  reference?: string;
  paper?: string;
  shape_in?: string;
  shape_out?: string;
  keywords?: string[];
  traits?: string[];
}

/** A family of blocks, in the order of the palette. */
export interface FamilySpec {
  name: string;
  title: string;
  blocks: string[];
}

/** A group of the beginner's palette. */
export interface BeginnersGroup {
  title: string;
  blocks: string[];
}

/** What a first network is made of, for data of this kind. */
export interface Suggestion {
  /** Numbers of dimensions, batch included; none is any. */
  rank: number[];
  dtype: "float" | "int" | "any";
  blocks: string[];
}

/** Composites that are ready to be put into any project. */
export interface PartsJson {
  /** What each does, by name. */
  abouts: Record<string, string>;
  /** Their definitions, and those of the composites inside of them. */
  composites: Record<string, CompositeJson>;
}

/** The catalogue for palette and forms, with the rules for node ids. */
export interface CatalogueJson {
  families: FamilySpec[];
  /** What a beginner's palette shows, by what one wants to do: blocks/catalogue.py. */
  beginners?: BeginnersGroup[];
  /** What stands before them, the first that fits the data: blocks/catalogue.py. */
  suggested?: Suggestion[];
  /** What core.project.parts finds. */
  parts?: PartsJson;
  blocks: Record<string, BlockSpec>;
  /** Words that no node id may be, each with whose it is: core.graph.names. */
  reserved: Record<string, string>;
  /** Stems of new ids. */
  stems: Record<string, string>;
  /** Stems that stand alone while free (image, join); all others are numbered from 1. */
  alone: string[];
}

/**
 * What leaves an output, as `signature_json` of core/analyse/report.py writes it.
 *
 * A tensor's shape, batch ("N") included, and its dtype; or an integer (a size), then with its
 * `value`. "?" is a size that the data decides. model/signature.ts writes it in words.
 */
export interface Signature {
  shape: (number | string)[];
  dtype: string;
  value?: string;
}

/** Change settings of a node; null takes one away. */
export interface SetEdit {
  op: "set";
  node: string;
  settings: Settings;
}

/** Add a node. */
export interface AddEdit {
  op: "add";
  id: string;
  block: string;
  settings?: Settings;
}

/** Remove a node with its wires. */
export interface RemoveEdit {
  op: "remove";
  node: string;
}

/** Put a node before an input port. */
export interface InsertEdit {
  op: "insert";
  id: string;
  block: string;
  settings?: Settings;
  target: string;
  port: string;
}

/** Draw a wire, or take it away. */
export interface ConnectEdit {
  op: "connect" | "disconnect";
  edge: string;
}

/** Give a node another id. */
export interface RenameEdit {
  op: "rename";
  node: string;
  to: string;
}

/** Put another block in the place of a node's. */
export interface ReplaceEdit {
  op: "replace";
  node: string;
  block: string;
  settings?: Settings;
}

export interface ShareEdit {
  op: "share";
  node: string;
  with: string;
}

/** Change how a node's weights are trained. */
export interface LearnEdit {
  op: "learn";
  node: string;
  frozen?: boolean;
  lr_factor?: number;
}

/** Repeat a node so many times in a row. */
export interface RepeatEdit {
  op: "repeat";
  node: string;
  times: number;
}

export type Edit = SetEdit | AddEdit | RemoveEdit | InsertEdit | ConnectEdit | RenameEdit | ReplaceEdit | ShareEdit | LearnEdit | RepeatEdit;

/** The place of an edit. */
export interface InComposite {
  composite?: string;
}

/** An edit, and the composite in whose graph it is to be made; none is the whole network. */
export type PlacedEdit = Edit & InComposite;

/** An offered fix of a finding. */
export interface Fix {
  title: string;
  edits: PlacedEdit[];
}

export const VERSION = 3;

/** Places of nodes in pixels; a node inside a composite is "Name.node". */
export type Layout = Record<string, [number, number]>;

/** What the canvas can ask of the page. */
export type ActionName = "train" | "save" | "code" | "review" | "data" | "training" | "remedy" | "run" | "part" | "cards" | "rename" | "share" | "merge" | "theirs" | "mine";

/** An error or a warning about a node. */
export interface Finding {
  node: string;
  code: string;
  message: string;
  hint: string;
  fixes: Fix[];
}

export type State = "ok" | "waiting" | "error";

/** What the analysis found out about one node; every key may be left out. */
export interface NodeAnnotation {
  state?: State;
  outputs?: Record<string, Signature>;
  inferred?: Settings;
  params?: number;
  multAdds?: number;
  bytes?: number;
  lines?: number[];
}

/** What the analysis knows about a drawing. */
export interface Annotations {
  nodes: Record<string, NodeAnnotation>;
  errors: Finding[];
  warnings: Finding[];
  source: string | null;
  className: string;
  params: number;
  trainable: number;
  multAdds: number;
  /** Why the analysis could not be made at all (time limit, worker lost); "" when it was. */
  failed: string;
}

/** What turns the annotations of number `base` into those of this answer. */
export interface AnnotationDelta {
  base: number;
  /** null: the node is gone. Nodes that only moved in the source are left out. */
  nodes: Record<string, NodeAnnotation | null>;
  /** Lines that stay, lines after them that go, lines in their place; or the whole source. */
  source: [number, number, string[]] | string | null;
  set: Partial<Annotations>;
}

/** A run that met a number that is not finite, and the path of the block where that began. */
export interface Fault {
  run: string;
  node: string;
  message: string;
}

/** A block to select and bring into view. */
export interface Reveal {
  node: string;
  /** Another one for each wish. */
  n: string;
}

/** The Input that receives the data of a project, for a drawing that has none. */
export interface FirstInput {
  name: string;
  settings: Settings;
  /** The data in words: "iris: 4 columns". */
  about: string;
}

/** Why a revision of the drawing was refused. */
export interface Refusal {
  rev: number;
  message: string;
}

/** What a project can be shared as, by a wing of this name. */
export interface ShareWay {
  name: string;
  title: string;
}

/** The project as one file, to be downloaded. */
export interface ProjectFile {
  name: string;
  text: string;
}

/** What the canvas needs to ask questions between two edits. */
export interface QueryContext {
  token: string;
  /** The batch size that training would take. */
  batch: number;
}

/** The project as Python has it. */
export interface DownState {
  v: number;
  doc: string;
  sid: string;
  /** Token of the route that answers edits of this session (store/httpChannel.ts). */
  channel: string;
  epoch: number;
  seq: number;
  ackRev: number;
  ackAction: string;
  name: string;
  about: string;
  /** Where the project is kept, for people; "" while it is a draft only. */
  place: string;
  /** Whether the file at `place` holds exactly this project. */
  saved: boolean;
  /** What else it can be shared as, beside the project file. */
  ways: ShareWay[];
  /** Actions that only parts which may be left out carry out, of those that are here. */
  acts: string[];
  /** Whether another tab changed this project, and the user has yet to choose between them. */
  elsewhere: boolean;
  /** Whether no draft of this drawing could be written: it is only in the server's memory. */
  unkept: boolean;
  graph: GraphJson | null;
  layout: Layout | null;
  notes: Json[] | null;
  refused: Refusal | null;
  catalogue: CatalogueJson | null;
  ask: QueryContext;
  height: number | null;
  /** Where the newest run of this project diverged; null when it did not. */
  fault: Fault | null;
  /** The Input for the data; null where none is chosen, or several Inputs receive it. */
  input: FirstInput | null;
  /** Whether a run of this drawing has ended: the canvas then opens with its values. */
  trained: boolean;
  /** A block to select and bring into view, asked for on another page. */
  look: Reveal | null;
}

/** The annotations, or what changed of them. */
export interface AnnotationUpdate {
  /** Number of the annotations of this answer. */
  told: number;
  annotations: Annotations | null;
  /** What changed since those that this canvas has. */
  changes: AnnotationDelta | null;
}

/** The answer to a message of the canvas. */
export interface Down extends DownState, AnnotationUpdate {
  annRev: number;
}

/** Something asked for on the toolbar, acting on the drawing it came with. */
export interface Action {
  id: string;
  name: ActionName;
  args: Record<string, Json>;
}

/** A snapshot of the drawing, safe to repeat or lose. */
export interface Up {
  v: number;
  doc: string;
  client: string;
  sid: string;
  epoch: Count;
  rev: Count;
  semRev: Count;
  /** null: nothing to say yet, only a request for what is in `need`. */
  graph: GraphJson | null;
  layout: Layout | null;
  /** null from a page that knows none, which leaves them as they are. */
  notes: readonly Json[] | null;
  need: readonly ("graph" | "catalogue")[];
  action: Action | null;
  /** Number of the annotations that this canvas holds; 0 for none. */
  have: Count;
}

/** What would be after the edits of a fix? */
export interface AskAfter {
  graph: GraphJson;
  edits: readonly PlacedEdit[];
}

/** What leaves the node at a path, by port, before the fix (nothing: {}) and after it. */
export interface ChangedOutputs {
  node: string;
  before: Record<string, Signature>;
  after: Record<string, Signature>;
}

/** What Python says of the drawing after the fix. */
export interface After {
  errors: number;
  first: string;
  changed: ChangedOutputs[];
  more: number;
}

/** How long does each block take? */
export interface AskTimed {
  graph: GraphJson;
  batch: number;
}

/** Milliseconds of one forward pass, by path of the report. */
export interface Timed {
  ms: Record<string, number>;
  batch: number;
  rounds: number;
  device: string;
  threads: number;
}

/** What does an activation make of the numbers from -4 to 4? */
export interface AskCurve {
  block: string;
  settings: Settings;
}

/** The values of an activation. */
export interface Curve {
  x: number[];
  y: number[];
}

/** The questions of POST /api/ll/ask/{question}, by name. */
export interface Questions {
  after: { asks: AskAfter; answers: After };
  timed: { asks: AskTimed; answers: Timed };
  curve: { asks: AskCurve; answers: Curve };
}

/** What the Inputs of a part receive: what the whole gives them of a sample, or made numbers. */
export type Feed = "sample" | "random" | "zeros" | "ones";

/** A value as few numbers; core/insight/one_sample/pictures.py writes it. */
export interface Picture {
  kind: "number" | "words" | "bars" | "maps" | "image" | "units" | "classes" | "surface";
  values?: (number | string)[];
  text?: string;
  /** Bytes in base64, (count, height, width): 0 to 254 run from low to high, 255 is no number. */
  data?: string;
  shape?: [number, number, number];
  /** How many maps there are in all. */
  of?: number;
  low?: number;
  high?: number;
  bad?: boolean;
  /** Of units of the plane: smallest and largest value; low is then -high. */
  ends?: Ends;
  /** Of classes on the plane: the probability of each, in bytes as `data`. */
  shares?: string;
  /** Of classes on the plane. */
  names?: string[];
}

/** Smallest and largest value. */
export interface Ends {
  low: number;
  high: number;
}

/** A class and its probability. */
export interface Score {
  name: string;
  value: number;
  right: boolean;
  predicted: boolean;
}

/** The prediction in words, and the most probable classes. */
export interface Prediction {
  words: string;
  scores: Score[];
  /** Why there is none, where a kind of target has neither words nor scores. */
  why?: string;
  /** How much too large a number is, in its unit: "+12.5". */
  error?: string;
}

/** A field of a row as a person fills it in. */
export interface Field {
  name: string;
  places: number[];
  words: string[];
  /** Of a date: one as the file writes it. */
  date?: string;
  /** Of a field that may be left empty: the numbers at its places, as in training. */
  fill?: number[];
  /** The same in words. */
  filler?: string;
}

/** How a sample of one's own can be given; "" where it cannot, `why` says so. */
export interface Ways {
  kind: "" | "image" | "sound" | "table" | "series" | "text";
  why?: string;
  /** Of an image. */
  channels?: number;
  length?: number;
  /** Of a text: a longer one loses its end; else its start. */
  cut?: "end";
  columns?: [string, number][];
  /** Of a table: what is filled in; words are choices, each with a place of its own in the row. */
  fields?: Field[];
  /** The numbers of the sample that is shown. */
  row?: number[];
  /** The same as it stands in the file, one for each field. */
  cells?: string[];
  /** Whether samples are points of a plane. */
  plane?: boolean;
}

/** The samples as points of the plane. */
export interface Samples {
  /** In the data's own units; those of the training part first. */
  places: [number, number][];
  kinds: number[];
  classes: string[];
  /** How many at the end are validation samples. */
  validation: number;
  /** How many there are in all. */
  of: number;
}

/** The accuracy on both parts of the data. */
export interface Accuracy {
  training?: number;
  validation?: number;
}

/** The picture of a block's units. */
export interface UnitsPicture extends Picture {
  path: string;
}

/** The plane of two columns, and the network's predictions on it. */
export interface Plane {
  columns: [string, string];
  across: [number, number];
  up: [number, number];
  /** What the network answers; null for a drawing that does not come so far. */
  region: Picture | null;
  samples: Samples;
  accuracy: Accuracy;
  /** More units of the block that is chosen. */
  units: UnitsPicture | null;
}

/** A run over time; app/services/one_sample.py writes it. */
export interface Time {
  run: string;
  /** Epochs whose weights it kept; `fewer` says why not all, "" where all. */
  epochs: number[];
  fewer: string;
  /** Whether it trains. */
  going: boolean;
  /** The epoch of the best weights. */
  best: number | null;
  /** Of the weights that are shown; null for the best. */
  epoch: number | null;
  step: number | null;
  /** Whether what is shown follows it. */
  live: boolean;
}

/** Whose weights an answer is of; every answer about a sample says it. */
export interface Moments {
  /** In words. */
  weights: string;
  run: string;
  /** Names of all runs whose weights can be shown, in the order to offer them. */
  runs: string[];
  rev: number;
  time: Time | null;
}

/** One sample run through the drawing. */
export interface Looked extends Moments {
  part: "validation" | "training" | "";
  index: number;
  count: number;
  target: string;
  prediction: Prediction;
  /** The Output that the prediction is read from. */
  output: string;
  /** Of a drawing with errors: the first block that does not run. */
  fault: string;
  blocks: Record<string, Picture>;
  /** Path of the first block whose output has a number that is not finite; "" for none. */
  began: string;
  ways: Ways;
  plane?: Plane;
}

/** One page of the numbers of a tensor. */
export interface Page {
  number: number;
  pages: number;
  /** The index of its first number. */
  at: number[];
  /** Where it lies, as an index of Python. */
  place: string;
  rows: ((number | string | boolean)[])[];
}

/** Facts on a tensor; null where no finite number is. */
export interface Facts {
  shape: number[];
  dtype: string;
  device: string;
  count: number;
  finite: number;
  min: number | null;
  mean: number | null;
  max: number | null;
  std: number | null;
  zeros: number;
  nan: number;
  inf: number;
  histogram: number[];
  page: Page;
}

/** How autograd sees a tensor. */
export interface Autograd {
  requires_grad: boolean;
  is_leaf: boolean;
  grad_fn: string;
}

/** How a value was caught, in a sentence, and lines of Python that do the same. */
export interface Hook {
  sentence: string;
  code: string;
}

/** The value and the gradient on a wire. */
export interface Probed extends Moments {
  hook?: Hook | null;
  /** A whole number (a size) has nothing else. */
  number?: number;
  value?: Facts;
  autograd?: Autograd | null;
  gradient?: Facts | null;
  /** Why there is no gradient. */
  why: string;
  loss?: number | null;
}

/** A tensor as a text that NumPy reads. */
export interface NumpyText extends Moments {
  text: string;
}

/**
 * The mean absolute value on wires, by the path and the port that they leave.
 *
 * Null for whole numbers; core/insight/one_sample/magnitudes.py writes it.
 */
export interface Magnitudes {
  /** Of values. */
  forward: Record<string, Record<string, number | null>>;
  /** Of gradients; {} where there is no loss. */
  backward: Record<string, Record<string, number | null>>;
}

/** How large values and gradients are on wires, and of which weights. */
export interface Measured extends Magnitudes, Moments {
}

/** One event of a training step; core/insight/one_sample/step_through.py writes them. */
export interface StepEvent {
  kind: "forward" | "loss" | "backward" | "update";
  path: string;
  port?: string;
  loss?: number;
  /** Of a loss: its terms. */
  losses?: number[];
  /** Of an update: the parameter. */
  name?: string;
  shape?: number[];
  /** Of an update: its first numbers; `after` it, and their gradient, `grad`. */
  before?: number[];
  after?: number[];
  grad?: number[];
  /** Of an update, as `change` and `weight`: the norm over the whole parameter. */
  gradient?: number;
  change?: number;
  weight?: number;
}

/** A tensor kept for the backward pass; core/insight/one_sample/autograd_graph.py writes it. */
export interface Saved {
  name: string;
  shape: number[];
  dtype: string;
  /** What it adds: 0 for a weight, and for what another node keeps already. */
  bytes: number;
  weight: string;
  /** The place of the node that keeps it already, -1 for none. */
  same: number;
}

/** A node of the autograd graph. */
export interface GraphNode {
  name: string;
  /** Path of the block that made it; "" for the loss. */
  block: string;
  parameter: string;
  shape: number[];
  saved: Saved[];
  bytes: number;
}

/** Nodes in the order of the backward pass; edges by places of nodes. */
export interface AutogradGraph {
  nodes: GraphNode[];
  edges: [number, number][];
  bytes: number;
}

/** One training step. */
export interface Stepped extends Moments {
  events: StepEvent[];
  optimizer: string;
  graph: AutogradGraph;
  magnitudes: Magnitudes;
}

/** Settings that may help a block. */
export interface Remedy {
  title: string;
  /** Settings as Python's `--set` takes them. */
  changes: Record<string, number | string | boolean | null>;
}

/** What is sick about a block; core/insight/over_time/marks.py writes it. */
export interface Mark {
  path: string;
  kind: string;
  words: string;
  text: string;
  remedies: Remedy[];
}

/** Measures of a block; null where one does not apply. */
export interface Vitals {
  block: string;
  dead: number | null;
  /** How many units it has. */
  units: number | null;
  saturated: number | null;
  spread: number | null;
  differs: number | null;
  gradient: number | null;
  weight: number | null;
  update: number | null;
  update_ratio: number | null;
}

/** How blocks of a run do: marks with what helps, and the measures they are read from. */
export interface Health {
  marks: Mark[];
  vitals: Record<string, Vitals>;
  /** How many validation samples they are measured on. */
  samples: number;
  /** The step of the run that gradients and updates are of; null for none. */
  step: number | null;
}

/** The health of blocks, and which run's they are. */
export interface HealthOfRun extends Health, Moments {
}

/** A film in the format that was chosen. */
export interface Film extends Moments {
  /** Bytes in base64. */
  data: string;
  type: string;
  frames: number;
}

/** An Input or Output of a part. */
export interface PartEnd extends Signature {
  node: string;
}

/** A block of a part, and its value. */
export interface PartBlock {
  node: string;
  block: string;
  params: number;
  ms: number | null;
  shape: number[];
  dtype: string;
  picture: Picture | null;
  min: number | null;
  mean: number | null;
  max: number | null;
  std: number | null;
}

/** core/insight/part/api.py writes it. */
export interface Calculated extends Moments {
  name: string;
  feed: Feed;
  entries: PartEnd[];
  leaves: PartEnd[];
  blocks: PartBlock[];
  params: number;
  mult_adds: number;
  ms: number;
  /** Whether the outputs equal those of the whole network; null for made numbers. */
  equal: boolean | null;
  /** Blocks that came along because the chosen ones need them. */
  along: string[];
}

/** So many blocks a film shows at most. */
export const MOST_FILMED = 12;

export type Path = string;

export type Plain = string | number[] | string[];

export type Part = "validation" | "training";

/** A drawing of one's own. */
export interface DrawnSample {
  /** Bytes in base64. */
  drawing: string;
  shape: [number, number];
}

/** A picture of one's own. */
export interface PictureSample {
  /** A picture's file in base64. */
  picture: string;
}

/** A sound of one's own. */
export interface SoundSample {
  /** A sound's file in base64. */
  sound: string;
}

/** A row of numbers of one's own. */
export interface RowSample {
  row: number[];
}

/** A row of one's own, in the words of its file. */
export interface CellsSample {
  /** What stands in each field. */
  cells: string[];
}

/** A row of one's own, as a line of its file. */
export interface LineSample {
  line: string;
}

/** A text of one's own. */
export interface TextSample {
  text: string;
}

/** A sample of one's own. */
export type Own = DrawnSample | PictureSample | SoundSample | RowSample | CellsSample | LineSample | TextSample;

/** A sample of the data. */
export interface DataSample {
  part: Part;
  index: Count;
}

/** A sample of one's own. */
export interface OwnSample {
  own: Own;
}

/** The plane, with all units of a block. */
export interface PlaneSample {
  plane: Path;
}

/** A sample, or the plane with all units of a block, "" for none. */
export type Wanted = DataSample | OwnSample | PlaneSample;

/** What every question about a sample says. */
export interface SampleQuestion {
  sample: Wanted;
  /** Of the run whose weights are meant; null: right now, or the best. */
  epoch: Count | null;
}

/** What are the values of the nodes that are shown? */
export interface AskLook extends SampleQuestion {
  /** The path of the composite that is open, with its dot; "" for the whole network. */
  within: Path;
}

/** What is on a wire? */
export interface AskProbe extends SampleQuestion {
  path: Path;
  port: Path;
  page: Count;
}

/** A wire's value, or its gradient, as a text that NumPy reads. */
export interface AskNumpy extends SampleQuestion {
  path: Path;
  port: Path;
  gradient: boolean;
}

/** A film of the blocks' pictures over all epochs. */
export interface AskFilm extends SampleQuestion {
  blocks: readonly Path[];
  kind: "webp" | "gif";
}

/** What do some blocks calculate by themselves? */
export interface AskPart extends SampleQuestion {
  within: Path;
  blocks: readonly string[];
  feed: Feed;
}

/** The questions of POST /api/ll/sample/{question}, by name. */
export interface SampleQuestions {
  look: { asks: AskLook; answers: Looked };
  probe: { asks: AskProbe; answers: Probed };
  numpy: { asks: AskNumpy; answers: NumpyText };
  magnitudes: { asks: SampleQuestion; answers: Measured };
  step: { asks: SampleQuestion; answers: Stepped };
  health: { asks: SampleQuestion; answers: HealthOfRun };
  moments: { asks: SampleQuestion; answers: Moments };
  film: { asks: AskFilm; answers: Film };
  part: { asks: AskPart; answers: Calculated };
}
