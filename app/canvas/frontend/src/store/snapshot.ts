/** What is sent to Python: the whole drawing as it is now, and what is asked for with it. */

import { toWire } from "../model/graph";
import { writeNotes } from "../model/notes";
import { allPlaces } from "../model/scope";
import { type Up, VERSION } from "../protocol";
import type { Editor } from "./editor";

/** have: the number of the annotations that are held; action: what acts on this drawing. */
type Sender = Pick<Up, "client" | "sid" | "epoch" | "action" | "have">;

export function snapshot({ doc, state }: Editor, sender: Sender): Up {
  const { loaded, whole, catalogue, rev, semRev, unknownNotes } = state;
  const need: Up["need"][number][] = [];
  if (!loaded) need.push("graph");
  if (!catalogue.json.families.length) need.push("catalogue");
  return {
    v: VERSION,
    doc,
    ...sender,
    rev,
    semRev,
    graph: loaded ? toWire(whole.graph, catalogue) : null,
    layout: loaded ? allPlaces(whole) : null,
    notes: loaded ? writeNotes(whole, unknownNotes) : null,
    need,
  };
}
