/** What the page hands over. Mirrors app/code_editor. */

/** What is wrong with the code. line: from 1. */
export interface Fault {
  line: number;
  message: string;
}

export interface Data {
  /** The code to begin with: what is typed since belongs to the browser. */
  code: string;
  label: string;
  faults: Fault[];
}

export interface ComponentArgs {
  data: Data;
  parentElement: HTMLElement | ShadowRoot;
  setStateValue: (name: string, value: unknown) => void;
}
