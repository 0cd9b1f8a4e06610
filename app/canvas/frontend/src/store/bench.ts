/** An open document: its editor, and its conversation with Python. */

import type { Editor } from "./editor";
import type { Sync } from "./sync";

export interface Bench {
  editor: Editor;
  sync: Sync;
}
