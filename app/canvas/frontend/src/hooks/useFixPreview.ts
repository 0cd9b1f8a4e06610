/** The fix that is looked at, and what it would lead to. */

import { useStore } from "zustand";
import type { Editor } from "../store/editor";
import { type FixPreview, fixPreviewStore } from "../store/fixPreview";

export const useFixPreview = (editor: Editor): FixPreview => useStore(fixPreviewStore(editor));
