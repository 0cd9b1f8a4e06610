/** Questions to Python between two edits, by a route of their own: no snapshot, no rerun. */

import { toWire } from "../model/graph";
import type { GraphJson, Json } from "../protocol";
import type { Editor } from "./editor";

export interface QueryContext {
  token: string;
  /** The batch size that training would take. */
  batch: number;
}

const known = new WeakMap<Editor, QueryContext>();

/** Keep what is needed to ask; comes with every answer to the drawing. */
export function setQueryContext(editor: Editor, ask: QueryContext | undefined): void {
  if (ask) known.set(editor, ask);
}

export const trainingBatch = (editor: Editor): number => known.get(editor)?.batch ?? 64;

export const wholeGraph = (editor: Editor): GraphJson => toWire(editor.state.whole.graph, editor.state.catalogue);

/** Ask and wait. Throws an Error whose message is a sentence for the student. */
export async function ask<T>(editor: Editor, question: "after" | "timed" | "curve", body: Record<string, unknown>): Promise<T> {
  const url = new URL(`api/ll/ask/${question}`, document.baseURI);
  let answer: Response, json: Json;
  try {
    answer = await fetch(url, {
      method: "POST", body: JSON.stringify(body), cache: "no-store",
      headers: { "content-type": "application/json", "x-ll-token": known.get(editor)?.token ?? "" },
    });
    json = (await answer.json()) as Json;
  } catch {
    throw new Error("The server does not answer.");
  }
  if (answer.ok) return json as T;
  const message = json && typeof json === "object" && !Array.isArray(json) ? json.error : "";
  throw new Error(typeof message === "string" && message ? message : `The server answered ${answer.status}.`);
}
