/** What Python tells the component, and what it is called with. */

export interface Data {
  token: string;
  look: "window" | "zone";
}

export interface ComponentArgs {
  data: Data;
  parentElement: HTMLElement | ShadowRoot;
  setTriggerValue: (name: string, value: unknown) => void;
}
