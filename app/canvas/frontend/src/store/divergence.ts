/** The block in which the newest run of this project diverged. */

import type { Fault } from "../protocol";
import { shownAs } from "./annotations";
import type { EditorState } from "./state";

/** The fault, where it began in this node of what is shown, or in a block inside it. */
export function faultAt({ fault, path }: Pick<EditorState, "fault" | "path">, id: string): Fault | null {
  return fault && shownAs(fault.node, path) === id ? fault : null;
}
