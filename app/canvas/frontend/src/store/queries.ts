/** Questions to Python between two edits, by a route of their own: no snapshot, no rerun. */

import { toWire } from "../model/graph";
import type { Down, GraphJson, Json, ProjectFile, QueryContext, Questions, SampleQuestions } from "../protocol";
import type { Editor } from "./editor";

/** channel: the token of the session itself: questions about a sample are about its drawing. */
const known = new WeakMap<Editor, QueryContext & { channel: string }>();

/** Keep what is needed to ask; comes with every answer to the drawing. */
export function setQueryContext(editor: Editor, { ask, channel }: Pick<Down, "ask" | "channel">): void {
  known.set(editor, { ...ask, channel });
}

export const trainingBatch = (editor: Editor): number => known.get(editor)?.batch ?? 64;

export const wholeGraph = (editor: Editor): GraphJson => toWire(editor.state.whole.graph, editor.state.catalogue);

/** Ask and wait. Throws an Error whose message is a sentence for the student. */
export function ask<Q extends keyof Questions>(
  editor: Editor,
  question: Q,
  body: Questions[Q]["asks"],
): Promise<Questions[Q]["answers"]> {
  return answered(`api/ll/ask/${question}`, known.get(editor)?.token, body);
}

/** The same about one sample that goes through the drawing as Python has it. */
export function askOfSample<Q extends keyof SampleQuestions>(
  editor: Editor,
  question: Q,
  body: SampleQuestions[Q]["asks"],
): Promise<SampleQuestions[Q]["answers"]> {
  return answered(`api/ll/sample/${question}`, known.get(editor)?.channel, body);
}

/** The project as a file: what it is called, and its text. */
export const projectFile = (editor: Editor): Promise<ProjectFile> =>
  answered("api/ll/project", known.get(editor)?.channel, {});

/** Why there is no answer; ask: the page that mends it, "" for none. */
export class Unanswered extends Error {
  constructor(
    message: string,
    readonly ask: "data" | "" = "",
  ) {
    super(message);
  }
}

async function answered<T>(path: string, token: string | undefined, body: object): Promise<T> {
  let answer: Response, json: Json;
  try {
    answer = await fetch(new URL(path, document.baseURI), {
      method: "POST",
      body: JSON.stringify(body),
      cache: "no-store",
      headers: { "content-type": "application/json", "x-ll-token": token ?? "" },
    });
    json = (await answer.json()) as Json;
  } catch {
    throw new Error("The server does not answer.");
  }
  if (answer.ok) return json as T;
  const told = json && typeof json === "object" && !Array.isArray(json) ? json : {};
  const message = typeof told.error === "string" && told.error ? told.error : `The server answered ${answer.status}.`;
  throw new Unanswered(message, told.ask === "data" ? "data" : "");
}
