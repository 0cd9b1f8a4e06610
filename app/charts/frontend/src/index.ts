/** Entry of the component: called at each change of data or theme, so it only updates. */

import uplotCss from "uplot/dist/uPlot.min.css?inline";
import { Panel } from "./panel";
import type { ComponentArgs } from "./protocol";
import css from "./style.css?inline";

interface Mounted {
  host: HTMLElement;
  panel: Panel;
}
const mounted = new WeakMap<Node, Mounted>();

function mount(parent: HTMLElement | ShadowRoot, args: ComponentArgs): Mounted {
  const style = document.createElement("style");
  const host = document.createElement("div");
  style.textContent = uplotCss + css;
  host.className = "run";
  host.dataset.testid = "run-view";
  parent.append(style, host);
  const made = { host, panel: new Panel(host, args.data) };
  mounted.set(parent, made);
  return made;
}

export default (args: ComponentArgs): (() => void) => {
  const parent = args.parentElement;
  const known = mounted.get(parent);
  const here = known ?? mount(parent, args);
  if (known && known.panel.run !== args.data.run) {
    known.panel.destroy();
    known.panel = new Panel(known.host, args.data);
  } else if (known) known.panel.update(args.data);
  here.panel.tell = (state) => args.setTriggerValue("state", state);
  return () => {
    here.panel.destroy();
    mounted.delete(parent);
    parent.replaceChildren();
  };
};
