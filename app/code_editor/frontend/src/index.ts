/** Entry of the component: called at each change of data or theme, so it only updates. */

import { ending } from "../../../frontend_shared/life";
import { Editor } from "./editor";
import type { ComponentArgs } from "./protocol";
import css from "./style.css?inline";
import { isDark } from "./theme";

interface Mounted {
  host: HTMLElement;
  editor: Editor;
  args: ComponentArgs;
}
const mounted = new WeakMap<Node, Mounted>();

function mount(parent: HTMLElement | ShadowRoot, args: ComponentArgs): Mounted {
  const style = document.createElement("style");
  const host = document.createElement("div");
  const help = document.createElement("p");
  style.textContent = css;
  host.className = "editor";
  host.dataset.testid = "code-editor";
  help.id = "tab-help";
  help.textContent = "Tab indents; Escape, then Tab, leaves the editor. Ctrl+Space completes.";
  parent.append(style, host, help);
  const begun = { host, args };
  const send = (code: string) => begun.args.setStateValue("code", code);
  const here: Mounted = Object.assign(begun, { editor: new Editor(host, args.data, send) });
  mounted.set(parent, here);
  return here;
}

export default (args: ComponentArgs): (() => void) => {
  const parent = args.parentElement;
  const known = mounted.get(parent);
  const here = known ?? mount(parent, args);
  here.args = args;
  here.host.classList.toggle("dark", isDark(here.host));
  if (known) known.editor.update(args.data);
  return ending(parent, () => {
    if (mounted.get(parent) !== here) return;
    here.editor.destroy();
    mounted.delete(parent);
    parent.replaceChildren();
  });
};
