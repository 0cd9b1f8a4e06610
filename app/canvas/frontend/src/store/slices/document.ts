/** The project that is open: its drawing and history are the user's, its name and place Python's. */

import { type Catalogue, EMPTY } from "../../model/catalogue";
import type { Drawing } from "../../model/drawing";
import type { Scope } from "../../model/scope";
import type { Fault, FirstInput, Json, ShareWay } from "../../protocol";

export interface DocumentSlice {
  catalogue: Catalogue;
  /** What is shown and edited: the whole network, or the composite that is open. */
  drawing: Drawing;
  whole: Drawing;
  /** The uses opened one inside the other, and their path in the report ("stage1.0."). */
  scope: Scope;
  path: string;
  loaded: boolean;
  past: readonly Drawing[];
  future: readonly Drawing[];
  /** What stands among the notes of the file but is none: sent back as it came. */
  unknownNotes: readonly Json[];
  name: string;
  about: string;
  /** Where the project is kept, for people; "" while it is a draft only. */
  place: string;
  saved: boolean;
  /** What else the project can be shared as. */
  ways: readonly ShareWay[];
  /** Names of actions that only parts which may be left out carry out, of those that are here. */
  acts: readonly string[];
  /** Where the newest run diverged. */
  fault: Fault | null;
  /** The Input that receives the chosen data. */
  firstInput: FirstInput | null;
  /** Whether a run of this drawing has ended. */
  trained: boolean;
}

const BLANK: Drawing = { graph: { nodes: {}, edges: [] }, layout: {}, notes: [] };

export const documentSlice = (): DocumentSlice => ({
  catalogue: EMPTY,
  drawing: BLANK,
  whole: BLANK,
  scope: [],
  path: "",
  loaded: false,
  past: [],
  future: [],
  unknownNotes: [],
  name: "",
  about: "",
  place: "",
  saved: false,
  ways: [],
  acts: [],
  fault: null,
  firstInput: null,
  trained: false,
});
