/** Reading blocks from a text that may come from anywhere: all of it is right, or none is taken. */

import type { CompositeJson, GraphJson, Json, Layout, NodeJson, Note, Settings } from "../protocol";
import { LEAST, MOST_TEXT } from "./notes";
import { usedBy } from "./scope";

export const KEY = "layerloom_blocks";
const LONGEST = 2_000_000;
const MOST = 2000;
const DEEPEST = 6;
const NODE_KEYS = new Set(["block", "settings", "label", "repeat", "weights_of", "frozen", "lr_factor", "unused"]);
const WIRE = /^\w+(\.\w+(\.\d+)?)? -> \w+(\.\w+(\.\d+)?)?$/;

export interface ClipboardBlocks extends GraphJson {
  layout: Layout;
  notes: Omit<Note, "id">[];
  /** What expressions among the blocks stand for, where they were copied from. */
  settings: Settings;
}

/** A text that holds no blocks, or not whole ones; the message says why. */
export class Unusable extends Error {}

const plain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function need(fits: boolean, why: string): asserts fits {
  if (!fits) throw new Unusable(why);
}

/** Read copied blocks. Throws Unusable. */
export function readClipboard(text: string): ClipboardBlocks {
  need(text.length <= LONGEST, "This text is too long for copied blocks.");
  need(text.includes(KEY), "The clipboard has no blocks. Copy some here or in another project first.");
  const json = parse(text);
  need(plain(json) && KEY in json, "The clipboard has no blocks. Copy some here or in another project first.");
  need(json[KEY] === 1, "These blocks were copied in a newer version of Layerloom.");
  const { nodes, edges } = readGraph(json, "The copied text");
  const composites = readComposites(json.composites ?? {});
  const settings = (json.settings ?? {}) as Settings;
  need(plain(settings) && shallow(settings), "The settings in the copied text are not valid.");
  const layout = plain(json.layout) ? places(json.layout) : {};
  return { nodes, edges, composites, layout, notes: readNotes(json.notes, nodes), settings };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unusable("The copied text is cut off or was changed: copy the blocks again.");
  }
}

function readGraph(json: Record<string, unknown>, who: string): GraphJson {
  const { nodes, edges } = json;
  need(plain(nodes) && Array.isArray(edges), `${who} has no blocks or no wires.`);
  need(Object.keys(nodes).length <= MOST && edges.length <= 4 * MOST, `${who} has more than ${MOST} blocks.`);
  for (const [id, node] of Object.entries(nodes)) checkNode(id.slice(0, 40), node);
  for (const edge of edges)
    need(
      typeof edge === "string" && WIRE.test(edge),
      `${who} has a wire that is not valid: ${String(edge).slice(0, 60)}.`,
    );
  return { nodes: nodes as Record<string, NodeJson>, edges: edges as string[] };
}

function checkNode(id: string, node: unknown): void {
  need(plain(node), `${id} in the copied text is not a valid block.`);
  const strange = Object.keys(node).find((key) => !NODE_KEYS.has(key));
  need(
    strange === undefined,
    `${id} in the copied text has the key ${String(strange).slice(0, 40)}, which this version does not know.`,
  );
  const { block, settings, label, repeat, weights_of: owner, frozen, lr_factor: factor, unused } = node;
  const texts = [block, label, owner].every((t) => t === undefined || (typeof t === "string" && t.length <= 200));
  const times =
    repeat === undefined || (Number.isInteger(repeat) && (repeat as number) >= 1 && (repeat as number) <= 1000);
  const yesOrNo = [frozen, unused].every((mark) => mark === undefined || typeof mark === "boolean");
  const marks = yesOrNo && (factor === undefined || (typeof factor === "number" && factor >= 1e-6 && factor <= 1000));
  const fits = texts && times && marks && (block !== undefined || owner !== undefined);
  need(
    fits && (settings === undefined || (plain(settings) && shallow(settings))),
    `${id} in the copied text is not a valid block.`,
  );
}

/** Whether a value has numbers, texts and lists of them only, none of them deep. */
function shallow(value: unknown, depth = 0): boolean {
  if (depth > DEEPEST) return false;
  if (Array.isArray(value)) return value.length <= MOST && value.every((v) => shallow(v, depth + 1));
  if (plain(value)) return depth === 0 && Object.values(value).every((v) => shallow(v, depth + 1));
  return typeof value !== "string" || value.length <= 2000;
}

function readComposites(json: unknown): Record<string, CompositeJson> {
  need(plain(json), "The composites in the copied text are not valid.");
  const read = Object.entries(json).map(([name, part]): [string, CompositeJson] => {
    need(
      /^[A-Z]\w{0,39}$/.test(name) && plain(part),
      `${name.slice(0, 40)} in the copied text is not a valid composite.`,
    );
    const settings = part.settings ?? {};
    need(plain(settings) && shallow(settings), `${name} in the copied text has settings that are not valid.`);
    const layout = plain(part.layout) ? { layout: places(part.layout) } : {};
    if (part.python !== undefined) return [name, readCustom(name, part)];
    return [name, { settings: settings as Settings, ...readGraph(part, name), ...layout }];
  });
  const all = Object.fromEntries(read);
  for (const name of Object.keys(all))
    need(!usedBy(name, all).has(name), `${name} in the copied text contains itself.`);
  return all;
}

const MOST_LINES = 2000,
  MOST_PORTS = 40;
const KINDS = new Set(["int", "float", "bool", "choice", "text", "size", "dims"]);

/** A custom block. Its ports and settings are read off anew by Python; until then these hold. */
function readCustom(name: string, { python, read }: Record<string, unknown>): CompositeJson {
  const lines =
    Array.isArray(python) &&
    python.length <= MOST_LINES &&
    python.every((l) => typeof l === "string" && l.length <= 2000);
  const { summary, inputs, outputs, settings } = plain(read) ? read : {};
  const ports = [inputs, outputs].every((all) => Array.isArray(all) && all.length <= MOST_PORTS && all.every(isPort));
  const fits = ports && Array.isArray(settings) && settings.length <= MOST_PORTS && settings.every(isSetting);
  need(lines && fits && typeof summary === "string", `${name} in the copied text is not a valid custom block.`);
  return {
    python: python as string[],
    read: { summary, inputs, outputs, settings } as CompositeJson["read"],
    nodes: {},
    edges: [],
  };
}

const isPort = (port: unknown): boolean =>
  plain(port) && typeof port.name === "string" && /^\w{1,40}(\.\d{1,2})?$/.test(port.name) && port.kind === "tensor";

const isSetting = (setting: unknown): boolean =>
  plain(setting) &&
  typeof setting.name === "string" &&
  /^\w{1,40}$/.test(setting.name) &&
  KINDS.has(String(setting.kind)) &&
  typeof setting.help === "string" &&
  Object.values(setting).every((v) => shallow(v));

const pair = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((v) => typeof v === "number" && Math.abs(v) <= 1e6);

function places(json: Record<string, unknown>): Layout {
  return Object.fromEntries(Object.entries(json).filter((item): item is [string, [number, number]] => pair(item[1])));
}

function readNotes(json: unknown, nodes: GraphJson["nodes"]): ClipboardBlocks["notes"] {
  if (!Array.isArray(json)) return [];
  return (json as Json[]).slice(0, MOST).flatMap((item) => {
    if (!plain(item)) return [];
    const { text, at, node, size } = item;
    const there = node === undefined || (typeof node === "string" && Object.hasOwn(nodes, node));
    if (typeof text !== "string" || text.length > MOST_TEXT || !pair(at) || !there) return [];
    const sized = pair(size) && size[0] >= LEAST.width && size[1] >= LEAST.height ? { size } : {};
    return [{ text, at, ...(typeof node === "string" ? { node } : {}), ...sized }];
  });
}
