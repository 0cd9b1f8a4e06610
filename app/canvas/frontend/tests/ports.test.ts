import { describe, expect, test } from "vitest";
import { Catalogue } from "../src/model/catalogue";
import { fromWire } from "../src/model/graph";
import { Ports } from "../src/model/ports";
import type { BlockSpec, PortSpec, Settings } from "../src/protocol";
import { catalogue } from "./shared";

const tensor = (name: string): PortSpec => ({ name, kind: "tensor" });
const block = (inputs: PortSpec[], outputs: PortSpec[], settings: BlockSpec["settings"] = []): BlockSpec => ({
  family: "pooling",
  summary: "",
  inputs,
  outputs,
  settings,
});
const known = new Catalogue({
  ...catalogue.json,
  blocks: {
    ...catalogue.json.blocks,
    MaxPool2d: block(
      [tensor("input")],
      [tensor("output"), tensor("indices")],
      [{ name: "return_indices", kind: "bool", help: "", default: false }],
    ),
    MaxUnpool2d: block([tensor("input"), tensor("indices")], [tensor("output")]),
    getitem: block(
      [tensor("input"), { name: "a", kind: "size", optional: true }, { name: "b", kind: "size", optional: true }],
      [tensor("output")],
    ),
  },
});

describe("ports as drawn", () => {
  const ports = (settings: Settings, edges: string[] = []) =>
    new Ports(
      known,
      fromWire({ nodes: { pool: { block: "MaxPool2d", settings }, up: { block: "MaxUnpool2d" } }, edges }, known),
    );
  const names = (of: Ports) => of.given("pool").map((p) => p.name);

  test("the places of maxima are an output where they are asked for, or already used", () => {
    expect(names(ports({ kernel_size: 2 }))).toEqual(["output"]);
    expect(names(ports({ kernel_size: 2, return_indices: true }))).toEqual(["output", "indices"]);
    expect(names(ports({ kernel_size: 2 }, ["pool.indices -> up.indices"]))).toEqual(["output", "indices"]);
  });

  test("a letter is a port where the index speaks of it, and something gives integers", () => {
    const drawn = (index: string) =>
      new Ports(
        known,
        fromWire(
          {
            nodes: {
              image: { block: "Input" },
              size1: { block: "size" },
              part: { block: "getitem", settings: { index } },
            },
            edges: [],
          },
          known,
        ),
      )
        .drawn("part")
        .map((p) => p.name);
    expect(drawn("[:, 0]")).toEqual(["input"]);
    expect(drawn("[:, :a]")).toEqual(["input", "a"]);
  });
});
