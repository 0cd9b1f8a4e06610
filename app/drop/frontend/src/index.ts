/** Entry of the component: called at each change of data or theme, so it only updates. */

import { ending } from "../../../frontend_shared/life";
import { chosen, dropped, holdsFiles, refusal, type Named } from "./files";
import { Overlay } from "./overlay";
import type { ComponentArgs } from "./protocol";
import css from "./style.css?inline";
import { send } from "./upload";
import { zone } from "./zone";

class Mounted {
  readonly overlay = new Overlay();
  private busy = false;
  private left: ReturnType<typeof setTimeout> | undefined;
  private readonly listening = new AbortController();

  constructor(public args: ComponentArgs) {
    const style = document.createElement("style");
    style.textContent = css;
    args.parentElement.append(style, this.overlay.root);
    if (args.data.look === "window") this.listen();
    else args.parentElement.append(zone(args.data.kinds, (files) => void this.take(chosen(files))));
  }

  /** Over a place of Streamlit's own that takes files, that place takes them. */
  private isOurs(event: DragEvent): boolean {
    const others = event.composedPath().some((at) => (at as Element).matches?.('[data-testid="stFileUploader"]'));
    return holdsFiles(event.dataTransfer?.types) && !others;
  }

  private listen(): void {
    const options = { capture: true, signal: this.listening.signal };
    addEventListener("dragover", (event) => this.over(event), options);
    addEventListener("drop", (event) => this.drop(event), options);
  }

  /** A browser says again and again that something is dragged over it; when it stops, it has left. */
  private over(event: DragEvent): void {
    clearTimeout(this.left);
    if (!this.isOurs(event)) return this.leave();
    event.preventDefault();
    event.stopPropagation();
    if (event.dataTransfer) event.dataTransfer.dropEffect = this.busy ? "none" : "copy";
    if (this.busy) return;
    if (this.overlay.root.dataset.state !== "invite") this.overlay.invite(this.args.data.hint);
    this.left = setTimeout(() => this.leave(), 400);
  }

  private leave(): void {
    if (this.overlay.root.dataset.state === "invite") this.overlay.hide();
  }

  private drop(event: DragEvent): void {
    clearTimeout(this.left);
    if (!this.isOurs(event) || !event.dataTransfer) return this.leave();
    event.preventDefault();
    event.stopPropagation();
    this.leave();
    if (this.busy) return;
    void dropped(event.dataTransfer).then(
      (files) => this.take(files),
      () => this.overlay.fault("The browser could not read the dropped files. Try again, or choose the files."),
    );
  }

  private async take(files: Named[]): Promise<void> {
    const why = refusal(files);
    if (why) return this.overlay.fault(why);
    this.busy = true;
    const what = files.length === 1 ? files[0]!.name : `${files.length.toLocaleString("en")} files`;
    const told = (part: number): void => this.overlay.progress(what, part, () => sending.cancel());
    const sending = send(files, this.args.data.token, told);
    told(0);
    try {
      this.args.setTriggerValue("dropped", { drop: await sending.done });
      this.overlay.hide();
    } catch (error) {
      const message = (error as Error).message;
      if (message) this.overlay.fault(message);
      else this.overlay.hide();
    } finally {
      this.busy = false;
    }
  }

  end(): void {
    this.listening.abort();
    clearTimeout(this.left);
    this.args.parentElement.replaceChildren();
  }
}

const mounted = new WeakMap<Node, Mounted>();

export default (args: ComponentArgs): (() => void) => {
  const parent = args.parentElement;
  const here = mounted.get(parent) ?? new Mounted(args);
  mounted.set(parent, here);
  here.args = args;
  return ending(parent, () => {
    if (mounted.get(parent) !== here) return;
    mounted.delete(parent);
    here.end();
  });
};
