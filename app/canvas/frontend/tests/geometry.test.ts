/** Names of ports have room: beside each other where data flows down, in one row where it flows right. */

import { describe, expect, test } from "vitest";
import { nameRoom, portPlace, sizeOf } from "../src/model/geometry";
import type { PortSpec } from "../src/protocol";

const ports = (...names: string[]): PortSpec[] => names.map((name) => ({ name, kind: "tensor" }));
const ATTENTION = ports("query", "key", "value", "key_padding_mask", "attn_mask");
const WEIGHTS = ports("attn_output", "attn_output_weights");
const across = (list: PortSpec[], width: number) =>
  list.map((_, i) => Math.round(portPlace("in", i, list, { width, height: 98 }, "down")[0]));

describe("a row of ports", () => {
  test("is as wide as its names, and each port has its part", () => {
    expect(sizeOf(ATTENTION, WEIGHTS, "down")).toEqual({ width: 312, height: 114 });
    expect(across(ATTENTION, 312)).toEqual([22, 66, 111, 188, 278]);
  });

  test("of short names is evenly spread, on a card as all others", () => {
    const three = ports("input", "h_0", "c_0");
    expect(sizeOf(three, ports("output", "h_n", "c_n"), "down")).toEqual({ width: 208, height: 114 });
    expect(across(ports("tensors.0", "tensors.1"), 208)).toEqual([52, 156]);
  });

  test("gives a very long name as much as 24 letters take: more is cut", () => {
    const name = "a_name_with_as_many_letters_as_may_be";
    expect(sizeOf(ports(name, name), [], "down").width).toBe(328);
  });

  test("with one port has it in the middle", () => {
    expect(portPlace("out", 0, ports("output"), { width: 208, height: 78 }, "down")).toEqual([104, 78]);
    expect(portPlace("in", 0, ports("input"), { width: 208, height: 78 }, "right")).toEqual([0, 39]);
  });
});

describe("two names in one row", () => {
  const [long] = ports("another_long_output_name"),
    [short] = ports("key");

  test("are whole where both fit", () => {
    expect(nameRoom(short as PortSpec, long, 10)).toBeCloseTo(18.6);
    expect(nameRoom(long as PortSpec, short, 10)).toBeCloseTo(148.8);
  });

  test("share the card where they do not", () => {
    expect(nameRoom(long as PortSpec, long, 10)).toBe(87);
  });
});
