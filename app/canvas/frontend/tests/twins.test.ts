/** Rules that the browser and Python both know: tests/app/canvas/test_twins.py reads the same cases. */

import { expect, test } from "vitest";
import cases from "../../../../tests/app/canvas/twins.json";
import { evaluate, Unreadable } from "../src/model/expression";
import { connect, fromWire } from "../src/model/graph";
import { freshId, idProblem, stem } from "../src/model/names";
import { Ports } from "../src/model/ports";
import type { GraphJson, Json, Settings } from "../src/protocol";
import { catalogue } from "./shared";

const env = cases.expression.env as Settings;
const nodes = cases.ports.nodes as GraphJson["nodes"];
const none = { nodes: {}, edges: [] };

test.each(cases.expression.values as [string, Json][])("%s is %j", (text, value) =>
  expect(evaluate(text, env)).toEqual(value),
);

test.each(cases.expression.refused)("%j is no expression", (text) =>
  expect(() => evaluate(text, env)).toThrow(Unreadable),
);

test("names that may be ids, and names that may not", () => {
  expect(cases.names.good.filter((name) => idProblem(name, catalogue, {}))).toEqual([]);
  expect(cases.names.bad.filter((name) => !idProblem(name, catalogue, {}))).toEqual([]);
});

test.each(cases.names.stems as [string, string][])("ids of %s begin with %s", (block, begin) =>
  expect(stem(block, catalogue)).toBe(begin),
);

test.each(cases.names.fresh as [string, string[], string][])(
  "the first free id of %s beside %j is %s",
  (begin, taken, name) => {
    expect(freshId(begin, catalogue, Object.fromEntries(taken.map((id) => [id, {}])))).toBe(name);
  },
);

test.each(cases.ports.wires as [string, string[], string][])("%s is %j, written %s", (text, ends, written) => {
  const ports = new Ports(catalogue, { nodes, edges: [] });
  const edge = ports.parse(text);
  expect(edge && [edge.source, edge.sourcePort, edge.target, edge.targetPort]).toEqual(ends);
  expect(edge && ports.write(edge)).toBe(written);
});

test.each(cases.ports.refused)("%j is no wire", (text) => expect(new Ports(catalogue, none).parse(text)).toBeNull());

test.each(cases.unused.after_wire as [string, string[]][])("after the wire %s, %j are unused", (text, unused) => {
  const graph = fromWire({ nodes: cases.unused.nodes as GraphJson["nodes"], edges: [] }, catalogue);
  const edge = new Ports(catalogue, graph).parse(text);
  const wired = connect(graph, edge as NonNullable<typeof edge>, catalogue);
  expect(Object.keys(cases.unused.nodes).filter((id) => wired.nodes[id]?.unused)).toEqual(unused);
});
