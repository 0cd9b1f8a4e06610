/** Expressions in a composite, such as "=channels * 2": the mirror of core/graph/expression.py. */

import type { Json, Settings } from "../protocol";

const TOKEN = / *(?:(\d+)|([A-Za-z_]\w*)|(\/\/|[-+*()]))/y;
const LONGEST = 200,
  DEEPEST = 20;

export class Unreadable extends Error {}

export const isExpression = (value: unknown): value is string => typeof value === "string" && value.startsWith("=");

function tokens(text: string): string[] {
  const body = text.replace(/^=/, "").replace(/ +$/, "");
  if (body.length > LONGEST) throw new Unreadable(`It is longer than ${LONGEST} characters.`);
  const words: string[] = [];
  for (let at = 0; at < body.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(body);
    if (!match) throw new Unreadable("An expression holds names, whole numbers, + - * // and ( ).");
    words.push(match[0].trim());
  }
  return words;
}

/** Names of settings that a value uses, through its lists too. */
export function namesIn(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isExpression(value)) return [];
  return value.match(/[A-Za-z_]\w*/g) ?? [];
}

/** The value with a setting called otherwise. */
export function renameIn(value: Json, from: string, to: string): Json {
  if (Array.isArray(value)) return value.map((v) => renameIn(v, from, to));
  return isExpression(value) ? value.replace(/[A-Za-z_]\w*/g, (name) => (name === from ? to : name)) : value;
}

/** Work out a value; a name alone may stand for any value, in a sum only for whole numbers. */
export function evaluate(value: Json, env: Settings): Json {
  if (Array.isArray(value)) return value.map((v) => evaluate(v, env));
  if (!isExpression(value)) return value;
  const words = tokens(value);
  if (words.length === 1 && /^[A-Za-z_]/.test(words[0] as string)) return lookUp(words[0] as string, env);
  let at = 0,
    depth = 0;
  const result = sum();
  if (at < words.length) throw new Unreadable(`${words[at]} is one too many.`);
  return result;

  function sum(): number {
    let left = product();
    while (words[at] === "+" || words[at] === "-") left = words[at++] === "+" ? left + product() : left - product();
    return left;
  }
  function product(): number {
    let left = atom();
    while (words[at] === "*" || words[at] === "//") {
      const times = words[at++] === "*";
      const right = atom();
      if (!times && right === 0) throw new Unreadable("It divides by zero.");
      left = times ? left * right : Math.floor(left / right);
    }
    return left;
  }
  function atom(): number {
    const word = words[at++];
    if (depth > DEEPEST) throw new Unreadable(`It is nested deeper than ${DEEPEST}.`);
    if (word === "-" || word === "(") {
      depth++;
      const inner = word === "-" ? 0 - atom() : sum();
      depth--;
      if (word === "(" && words[at++] !== ")") throw new Unreadable('A ")" is missing.');
      return inner;
    }
    if (word && /^\d/.test(word)) return Number(word);
    if (!word || /^[+*/)]/.test(word)) throw new Unreadable("A name or a whole number is missing.");
    const value = lookUp(word, env);
    if (!Number.isInteger(value)) throw new Unreadable(`${word} is not a whole number.`);
    return value as number;
  }
}

function lookUp(name: string, env: Settings): Json {
  if (Object.hasOwn(env, name)) return env[name] as Json;
  const known = Object.keys(env).join(", ") || "none";
  throw new Unreadable(`${name} is not a setting of this composite (it has: ${known}).`);
}

/** Why a text is no expression over these settings; "" when it is one. */
export function expressionProblem(text: string, env: Settings): string {
  try {
    evaluate(text, env);
    return "";
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
}
