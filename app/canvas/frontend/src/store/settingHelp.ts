/** The setting that is pointed at or written in, and what its help says: one for the page. */

import { createStore } from "zustand/vanilla";

export interface SettingHelp {
  name: string;
  text: string;
}

interface State {
  pointed: SettingHelp | null;
  focused: SettingHelp | null;
}

export const settingHelp = createStore<State>(() => ({ pointed: null, focused: null }));
