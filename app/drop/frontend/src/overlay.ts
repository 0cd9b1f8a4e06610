/** What lies over the page: "Drop to open" while files are dragged, then progress, then a fault. */

export class Overlay {
  readonly root = document.createElement("div");
  private readonly title = document.createElement("strong");
  private readonly text = document.createElement("span");
  private readonly bar = document.createElement("progress");
  private readonly button = document.createElement("button");
  private act: () => void = () => {};

  constructor() {
    const card = document.createElement("div");
    card.className = "card";
    this.root.className = "overlay";
    this.root.dataset.testid = "drop-overlay";
    this.root.setAttribute("role", "dialog");
    this.root.setAttribute("aria-label", "Opening files");
    this.bar.setAttribute("aria-label", "Upload progress");
    this.title.setAttribute("role", "status");
    this.button.type = "button";
    this.button.onclick = () => this.act();
    this.root.onkeydown = (event) => event.key === "Escape" && this.act();
    card.append(this.title, this.text, this.bar, this.button);
    this.root.append(card);
    this.hide();
  }

  hide(): void {
    this.show("hidden", "", "");
  }

  /** hint: what can be dropped. */
  invite(hint: string): void {
    this.show("invite", "Drop to open", hint);
  }

  progress(what: string, part: number, cancel: () => void): void {
    if (this.root.dataset.state === "busy") this.bar.value = part;
    else this.show("busy", `Opening ${what}`, "", "Cancel", cancel);
    this.text.textContent = part < 1 ? `Sent ${Math.floor(100 * part)} %` : "Reading it";
    if (part < 1) this.bar.value = part;
    else this.bar.removeAttribute("value");
  }

  fault(message: string): void {
    this.show("fault", "Could not open it", message, "Close", () => this.hide());
  }

  private show(state: string, title: string, text: string, button = "", act = () => {}): void {
    this.root.dataset.state = state;
    this.root.hidden = state === "hidden";
    this.title.textContent = title;
    this.text.textContent = text;
    this.bar.hidden = state !== "busy";
    this.button.hidden = !button;
    this.button.textContent = button;
    this.act = act;
    if (button) this.button.focus();
  }
}
