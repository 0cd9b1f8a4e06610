/** What Python tells the component, what it is called with, and what the first script of the page offers. */

export type Choice = "light" | "dark" | "system";

export interface Scheme {
  choice: () => Choice;
  choose: (choice: Choice) => void;
}

/** A step of the tour: on the page of that name, at the first of these that is there. */
export interface Step {
  name: string;
  text: string;
  page: string;
  at: string[];
}

/** A page in the menu. address: below that of the workbench, with what names the open project. */
export interface PageLink {
  name: string;
  title: string;
  icon: string;
  address: string;
}

export interface Data {
  look: "more" | "tour" | "spiral";
  page: string;
  /** The pages of the menu. */
  pages: PageLink[];
  steps: Step[];
  /** Changes each time that the tour is asked for. */
  begin: string;
  /** The address of what is played on the start page. */
  recording: string;
}

export interface ComponentArgs {
  data: Data;
  parentElement: HTMLElement | ShadowRoot;
  setTriggerValue: (name: string, value: unknown) => void;
}

declare global {
  interface Window {
    layerloomScheme?: Scheme;
  }
}
