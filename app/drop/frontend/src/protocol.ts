/** What Python tells the component, and what it is called with. */

export interface Data {
  token: string;
  look: "window" | "zone";
  /** What can be dropped: a name and the files, for each kind that is here. */
  kinds: [name: string, files: string][];
  /** The same as a sentence. */
  hint: string;
}

export interface ComponentArgs {
  data: Data;
  parentElement: HTMLElement | ShadowRoot;
  setTriggerValue: (name: string, value: unknown) => void;
}
