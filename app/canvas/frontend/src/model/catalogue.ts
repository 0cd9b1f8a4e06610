/** The catalogue of blocks, indexed for palette, forms and ports. */

import type {
  BlockSpec,
  CatalogueJson,
  CompositeJson,
  Json,
  NodeJson,
  PortSpec,
  Settings,
  SettingSpec,
} from "../protocol";
import { shapeText } from "./signature";
import { showValue } from "./values";

export class Catalogue {
  private readonly twins: ReadonlySet<string>;

  constructor(readonly json: CatalogueJson) {
    this.beginners = (json.beginners ?? []).flatMap((group) => group.blocks);
    const used = new Map<string, string>();
    const rank = (name: string) => (this.beginners.includes(name) ? 2 : isLayer(name) ? 1 : 0);
    const bare = (name: string) => name.toLowerCase().replaceAll("_", "");
    const names = Object.keys(json.blocks);
    for (const name of names) if (rank(name) >= rank(used.get(bare(name)) ?? name)) used.set(bare(name), name);
    this.twins = new Set(names.filter((name) => used.get(bare(name)) !== name));
  }

  /** Whose a name is that neither a block nor a class may bear; "" for one that is free. */
  taken(name: string): string {
    return Object.hasOwn(this.json.reserved, name) ? (this.json.reserved[name] ?? "") : "";
  }

  block(name: string): BlockSpec | undefined {
    return Object.hasOwn(this.json.blocks, name) ? this.json.blocks[name] : undefined;
  }

  family(name: string): string {
    return this.block(name)?.family ?? (this.part(name) ? "composite" : "unknown");
  }

  /** What a composite that is ready to use does; "" for anything else. */
  part(name: string): string {
    const abouts = this.json.parts?.abouts ?? {};
    return Object.hasOwn(abouts, name) ? (abouts[name] ?? "") : "";
  }

  /** What a block of the palette does; "" for one that it does not have. */
  summary(name: string): string {
    return this.block(name)?.summary ?? this.part(name);
  }

  /** The composites that are ready to use, of which all these words tell. */
  parts(query: string): string[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const tells = ([name, about]: [string, string]) =>
      words.every((word) => `${name} ${about}`.toLowerCase().includes(word));
    return Object.entries(this.json.parts?.abouts ?? {})
      .filter(tells)
      .map(([name]) => name);
  }

  /** Blocks of the palette for beginners, the first of each group before the others. */
  readonly beginners: readonly string[];

  /** Whether it has the name of another block that is used more: linear beside Linear, Flatten beside flatten. */
  isTwin(name: string): boolean {
    return this.twins.has(name);
  }

  /** Settings of a block fresh from the palette. */
  start(name: string): Settings {
    return startsOf(this.block(name)?.settings ?? []);
  }
}

/** What settings are set to on a block fresh from the palette. */
export function startsOf(specs: readonly SettingSpec[]): Settings {
  return Object.fromEntries(specs.filter((s) => s.start != null).map((s) => [s.name, s.start as Json]));
}

/** A module of torch.nn, or an end of the network; others are functions. */
export const isLayer = (name: string): boolean => /^[A-Z]/.test(name);

export const EMPTY = new Catalogue({ families: [], blocks: {}, reserved: {}, stems: {}, alone: [] });

export function isRequired(spec: SettingSpec): boolean {
  return spec.required ?? !Object.hasOwn(spec, "default");
}

/** So few settings need no fold: below those that matter, and where none does. */
const FEW_BELOW = 1,
  FEW = 4;

/** The settings that matter, and those that fold away. */
export function mainSettings(specs: readonly SettingSpec[]): [main: SettingSpec[], rest: SettingSpec[]] {
  const main = specs.filter((spec) => spec.main),
    rest = specs.filter((spec) => !spec.main);
  const all = main.length ? rest.length <= FEW_BELOW : specs.length <= FEW;
  return all ? [[...specs], []] : [main, rest];
}

/** How well a block answers a search; 0 is not at all. */
function score(name: string, block: BlockSpec, family: string, query: string): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const lower = name.toLowerCase();
  let total = isLayer(name) ? 1.5 : 1; // "linear" means the layer before the function
  for (const word of words) {
    if (lower === word) total += 100;
    else if (lower.startsWith(word)) total += 50;
    else if (lower.includes(word)) total += 30;
    else if (block.keywords?.some((k) => k.toLowerCase().includes(word))) total += 15;
    else if (family.toLowerCase().includes(word)) total += 10;
    else if (block.summary.toLowerCase().includes(word)) total += 5;
    else return 0;
  }
  return total;
}

/** What a block for beginners is worth more, so that "conv" means Conv2d: less than a better match. */
const USUAL = 4;
/** Of two blocks of one name the one that is used less comes after all else: side by side they are mistaken. */
const TWIN = 1e-3;

/** Block names answering a query, best first; in catalogue order for an empty one. */
export function search(catalogue: Catalogue, query: string): string[] {
  const scored: [string, number][] = [];
  for (const family of catalogue.json.families) {
    for (const name of family.blocks) {
      const block = catalogue.block(name);
      const points = block ? score(name, block, family.title, query) : 0;
      const usual = catalogue.beginners.indexOf(name);
      if (points)
        scored.push([name, catalogue.isTwin(name) ? points * TWIN : points + (usual < 0 ? 0 : USUAL - usual / 100)]);
    }
  }
  if (query.trim()) scored.sort((a, b) => b[1] - a[1]);
  return scored.map(([name]) => name);
}

const SHORT: Record<string, string> = {
  stride: "stride",
  padding: "pad",
  dilation: "dilation",
  groups: "groups",
  start_dim: "from",
  num_layers: "layers",
  nhead: "heads",
  num_heads: "heads",
  scale_factor: "×",
};
const BARE = new Set([
  "out_channels",
  "out_features",
  "kernel_size",
  "hidden_size",
  "p",
  "output_size",
  "shape",
  "num_embeddings",
  "embedding_dim",
  "d_model",
  "dims",
  "size",
  "mode",
  "normalized_shape",
  "parametrize",
]);

/** Settings that are shapes: written as a shape is everywhere. */
const TUPLES = new Set(["shape", "normalized_shape"]);

/** Key settings in short: "16 · 3×3 · pad 1". Settings at their default are left out. */
export function digest(node: NodeJson, block: BlockSpec | undefined): string {
  const settings = node.settings ?? {};
  const specs = block?.settings ?? Object.keys(settings).map((name) => ({ name }) as SettingSpec);
  const parts: string[] = [];
  for (const spec of specs) {
    const value = settings[spec.name];
    if (value === undefined || same(value, spec.default)) continue;
    parts.push(part(spec, value));
  }
  return parts.join(" · ");
}

function part(spec: SettingSpec, value: Json): string {
  const square = spec.name === "kernel_size" && typeof value === "number" && (spec.length ?? 0) > 1;
  if (TUPLES.has(spec.name) && Array.isArray(value)) return shapeText(value.map((size) => showValue(size)));
  const text = square ? Array(spec.length).fill(value).join("×") : showValue(value, "×");
  if (typeof value === "boolean") return value ? spec.name : `no ${spec.name}`;
  if (BARE.has(spec.name)) return text;
  return `${SHORT[spec.name] ?? spec.name} ${text}`;
}

const KINDS: Record<string, SettingSpec["kind"]> = { number: "float", boolean: "bool", string: "text" };

/** The settings of a composite as a form: their kinds are those of the values it begins with. */
export function compositeSettings(composite: CompositeJson): SettingSpec[] {
  if (composite.read) return composite.read.settings.map((spec) => ({ ...spec, main: true }));
  return Object.entries(composite.settings ?? {}).map(([name, value]) => ({
    name,
    help: "",
    main: true,
    default: value,
    kind: Number.isInteger(value) ? "int" : Array.isArray(value) ? "dims" : (KINDS[typeof value] ?? "text"),
  }));
}

export function same(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

const TENSOR: PortSpec = { name: "", kind: "tensor" };

/** Ports of a block this version does not know: one unnamed port on each side. */
export const UNKNOWN_PORTS: readonly PortSpec[] = [TENSOR];
