/** What an open document holds in the browser, in four slices. */

import { type DocumentSlice, documentSlice } from "./slices/document";
import { type SelectionSlice, selectionSlice } from "./slices/selection";
import { type SyncSlice, syncSlice } from "./slices/sync";
import { type UiSlice, uiSlice } from "./slices/ui";

export interface EditorState extends DocumentSlice, SyncSlice, SelectionSlice, UiSlice {}

export const initial = (): EditorState => ({ ...documentSlice(), ...syncSlice(), ...selectionSlice(), ...uiSlice() });
