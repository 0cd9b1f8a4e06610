/** Entry of the component: called at each change of data or theme, so it only updates. */

import uplotCss from "uplot/dist/uPlot.min.css?inline";
import { Compare } from "./compare";
import { ending } from "../../../frontend_shared/life";
import { Panel } from "./panel";
import { isCompare, isStart, isSweep, type ComponentArgs, type Mountable } from "./protocol";
import { Starting } from "./starting";
import { Sweep } from "./sweep";
import css from "./style.css?inline";
import { labelMetrics } from "./words";

interface Mounted {
  host: HTMLElement;
  view: Mountable;
  args: ComponentArgs; // the newest, also for a view that was made with older ones
}
const mounted = new WeakMap<Node, Mounted>();

function make(here: Omit<Mounted, "view">): Mountable {
  const { data } = here.args;
  if (isSweep(data)) return new Sweep(here.host, data, (name, value) => here.args.setTriggerValue(name, value));
  if (isStart(data)) return new Starting(here.host, data);
  if (isCompare(data)) return new Compare(here.host, data);
  return new Panel(
    here.host,
    data,
    (state) => here.args.setTriggerValue("state", state),
    (epoch) => here.args.setTriggerValue("epoch", epoch),
  );
}

function mount(parent: HTMLElement | ShadowRoot, args: ComponentArgs): Mounted {
  const style = document.createElement("style");
  const host = document.createElement("div");
  style.textContent = uplotCss + css;
  host.className = "run";
  host.dataset.testid = "run-view";
  parent.append(style, host);
  const begun = { host, args };
  const made = Object.assign(begun, { view: make(begun) });
  mounted.set(parent, made);
  return made;
}

export default (args: ComponentArgs): (() => void) => {
  const parent = args.parentElement;
  labelMetrics(args.data.metrics);
  const known = mounted.get(parent);
  const here = known ?? mount(parent, args);
  here.args = args;
  if (known && !known.view.fits(args.data)) {
    known.view.destroy();
    known.view = make(known);
  } else if (known) known.view.update(args.data);
  return ending(parent, () => {
    if (mounted.get(parent) !== here) return;
    here.view.destroy();
    mounted.delete(parent);
    parent.replaceChildren();
  });
};
