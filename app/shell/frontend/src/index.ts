/** Entry of the component: called at each change of data or theme, so it only updates. */

import { ending } from "../../../frontend_shared/life";
import { More } from "./more";
import type { ComponentArgs } from "./protocol";
import { Spiral } from "./spiral";
import css from "./style.css?inline";
import { Tour } from "./tour";

class Mounted {
  private readonly more: More | null = null;
  private readonly tour: Tour | null = null;
  private readonly spiral: Spiral | null = null;

  constructor(private readonly args: ComponentArgs) {
    const style = document.createElement("style");
    style.textContent = css;
    const { parentElement, data } = args;
    parentElement.append(style);
    if (data.look === "tour") this.tour = new Tour(data, parentElement, sending(args, "lead"));
    else if (data.look === "spiral") parentElement.append((this.spiral = new Spiral(data.recording)).root);
    else parentElement.append((this.more = new More(data, sending(args, "chosen"))).root);
  }

  update(args: ComponentArgs): void {
    this.tour?.update(args.data, sending(args, "lead"));
    this.more?.update(args.data, sending(args, "chosen"));
  }

  end(): void {
    this.more?.end();
    this.tour?.over();
    this.spiral?.end();
    this.args.parentElement.replaceChildren();
  }
}

const sending =
  ({ setTriggerValue }: ComponentArgs, name: "lead" | "chosen") =>
  (what: string): void =>
    setTriggerValue(name, what);
const mounted = new WeakMap<Node, Mounted>();

export default (args: ComponentArgs): (() => void) => {
  const parent = args.parentElement;
  const known = mounted.get(parent);
  const here = known ?? new Mounted(args);
  mounted.set(parent, here);
  if (known) here.update(args);
  return ending(parent, () => {
    if (mounted.get(parent) !== here) return;
    mounted.delete(parent);
    here.end();
  });
};
