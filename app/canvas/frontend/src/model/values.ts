/** Setting values as text and back, with the reason in words when a text is no value. */

import type { Json, SettingSpec } from "../protocol";

export function showValue(value: Json | undefined, times = ", "): string {
  if (value === undefined) return "";
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return value.map((v) => showValue(v, times)).join(times);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export type Parsed = { value: Json } | { remove: true } | { error: string };

const fail = (error: string): Parsed => ({ error });
const INT = /^[+-]?\d{1,15}$/;
const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Read what was typed for a setting. An empty text takes the setting away (back to its default). */
export function parseValue(spec: SettingSpec, text: string): Parsed {
  const clean = text.trim();
  if (clean === "") return { remove: true };
  if (/^none$/i.test(clean) && spec.kind !== "text") {
    return spec.optional ? { value: null } : fail("None is not possible here.");
  }
  if (spec.choices?.includes(clean)) return { value: clean };
  switch (spec.kind) {
    case "int":
      return INT.test(clean) ? inRange(spec, Number(clean)) : fail("Type a whole number.");
    case "float":
      return spec.several
        ? numbers(spec, clean)
        : FLOAT.test(clean)
          ? inRange(spec, Number(clean))
          : fail("Type a number.");
    case "bool":
      return /^(true|false)$/i.test(clean) ? { value: /^t/i.test(clean) } : fail("True or False.");
    case "choice":
      return fail(`Choose one of ${(spec.choices ?? []).join(", ")}.`);
    case "text":
      return matches(spec, clean) ? { value: clean } : fail("This text is not allowed here.");
    case "size":
    case "dims":
      return integers(spec, clean);
  }
}

function matches(spec: SettingSpec, text: string): boolean {
  return text.length <= 200 && (!spec.pattern || new RegExp(`^(?:${spec.pattern})$`).test(text));
}

function inRange(spec: SettingSpec, value: number): Parsed {
  if (!Number.isFinite(value)) return fail("Type a finite number.");
  const bound = (limit: number): string =>
    `${limit}${spec.unit ? ` ${limit === 1 ? spec.unit.replace(/s$/, "") : spec.unit}` : ""}`;
  if (spec.low != null && value < spec.low) return fail(`At least ${bound(spec.low)}.`);
  if (spec.high != null && value > spec.high) return fail(`At most ${bound(spec.high)}.`);
  return { value };
}

function numbers(spec: SettingSpec, text: string): Parsed {
  const words = text
    .replace(/^[[(]|[\])]$/g, "")
    .split(/[\s,;x×*]+/)
    .filter(Boolean);
  const many = Array(spec.length || 2)
    .fill(0)
    .map((_, i) => i + 1.5)
    .join(", ");
  const values: Json[] = [];
  for (const word of words) {
    if (!FLOAT.test(word)) return fail(`Type a number, or ${many}.`);
    const one = inRange(spec, Number(word));
    if (!("value" in one)) return one;
    values.push(one.value);
  }
  if (values.length === 1) return { value: values[0] as Json };
  if (!values.length || (spec.length && values.length !== spec.length)) return fail(`Type a number, or ${many}.`);
  return { value: values };
}

function integers(spec: SettingSpec, text: string): Parsed {
  const words = text
    .replace(/^[[(]|[\])]$/g, "")
    .split(/[\s,;x×*]+/)
    .filter(Boolean);
  const values: Json[] = [];
  for (const word of words) {
    if (spec.optional && /^none$/i.test(word)) {
      values.push(null);
      continue;
    }
    if (!INT.test(word)) return fail(example(spec));
    const one = inRange(spec, Number(word));
    if (!("value" in one)) return one;
    values.push(one.value);
  }
  if (!values.length) return fail(example(spec));
  if (spec.kind === "dims") return { value: values };
  if (values.length === 1) return { value: values[0] as Json };
  if (spec.length && values.length !== spec.length) return fail(example(spec));
  return { value: values };
}

function example(spec: SettingSpec): string {
  if (spec.kind === "dims") return "Type whole numbers, such as 1, 28, 28.";
  const many = Array(spec.length || 2)
    .fill(0)
    .map((_, i) => 3 + 2 * i)
    .join(", ");
  const words = spec.choices?.length ? `, or ${spec.choices.join(" or ")}` : "";
  return spec.length === 1 ? `Type a whole number${words}.` : `Type 3 or ${many}${words}.`;
}

/** Numbers for people: 1234567 as "1,234,567", as on the other pages. */
export function grouped(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** A count with its noun: "1 row", "1,200 rows". */
export const counting = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Large counts for people: 11689512 as "11.7 M". */
export function brief(exact: number): string {
  const value = three(exact);
  for (const [size, unit] of [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e4, "k"],
  ] as const) {
    if (value >= size) {
      const scale = unit === "k" ? 1e3 : size;
      return `${three(value / scale)}\u202f${unit}`;
    }
  }
  return grouped(exact);
}

/** Three figures of a number: 11689512 as 11700000. */
const three = (value: number): number => Number(value.toPrecision(3));

/** Bytes for people: 4096 as "4.1 kB". */
export function briefBytes(exact: number): string {
  if (exact < 1000) return `${exact}\u202fB`;
  const value = three(exact);
  const units = ["kB", "MB", "GB", "TB"];
  const step = Math.min(units.length, Math.floor(Math.log10(value) / 3));
  return `${three(value / 1000 ** step)}\u202f${units[step - 1]}`;
}
