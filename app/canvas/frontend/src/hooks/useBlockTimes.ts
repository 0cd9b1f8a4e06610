/** How long each block takes, as it was measured last. */

import { useStore } from "zustand";
import { type BlockTimes, blockTimesStore } from "../store/blockTimes";
import type { Editor } from "../store/editor";

export const useBlockTimes = (editor: Editor): BlockTimes => useStore(blockTimesStore(editor));
