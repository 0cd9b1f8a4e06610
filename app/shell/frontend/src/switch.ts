/** The switch of the bar: light, dark, or as the system says. */

import type { Choice } from "./protocol";

const SUN =
  '<circle cx="12" cy="12" r="4.2"/><path d="M12 2.5v2.4M12 19.1v2.4M2.5 12h2.4M19.1 12h2.4M5.3 5.3 7 7M17 17l1.7 1.7M18.7 5.3 17 7M7 17l-1.7 1.7"/>';
const MOON = '<path d="M20 14.2A8.3 8.3 0 0 1 9.8 4 8.3 8.3 0 1 0 20 14.2Z"/>';
const SCREEN = '<rect x="3" y="4.5" width="18" height="12" rx="1.6"/><path d="M9 20.5h6M12 16.5v4"/>';
const CHOICES: [Choice, string, string][] = [
  ["system", "System", SCREEN],
  ["light", "Light", SUN],
  ["dark", "Dark", MOON],
];

const icon = (paths: string): string =>
  `<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round">${paths}</svg>`;

export class Switch {
  readonly root = document.createElement("div");
  private readonly button = document.createElement("button");
  private readonly menu = document.createElement("div");
  private readonly listening = new AbortController();

  constructor() {
    this.root.className = "switch";
    this.button.type = "button";
    this.button.dataset.testid = "scheme";
    this.button.setAttribute("aria-haspopup", "menu");
    this.menu.setAttribute("role", "menu");
    this.menu.setAttribute("aria-label", "Light or dark");
    this.menu.popover = "auto"; // closes on Escape and on a click elsewhere
    this.menu.append(...CHOICES.map(([choice, name, paths]) => this.item(choice, name, paths)));
    this.button.popoverTargetElement = this.menu;
    this.menu.addEventListener("toggle", (event) => this.toggled(event.newState === "open"));
    this.menu.addEventListener("keydown", (event) => this.key(event));
    this.root.append(this.button, this.menu);
    addEventListener("layerloom:scheme", () => this.show(), { signal: this.listening.signal });
    this.show();
  }

  private item(choice: Choice, name: string, paths: string): HTMLElement {
    const item = document.createElement("button");
    item.type = "button";
    item.setAttribute("role", "menuitemradio");
    item.dataset.choice = choice;
    item.innerHTML = icon(paths);
    item.append(name);
    item.onclick = () => {
      window.layerloomScheme?.choose(choice);
      this.menu.hidePopover();
    };
    return item;
  }

  private get items(): HTMLElement[] {
    return [...this.menu.querySelectorAll<HTMLElement>("button")];
  }

  private toggled(open: boolean): void {
    this.button.setAttribute("aria-expanded", String(open));
    if (open) this.items.find((item) => item.getAttribute("aria-checked") === "true")?.focus();
  }

  private key(event: KeyboardEvent): void {
    event.stopPropagation(); // a letter is no key of the page here
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const all = this.items;
    const at = all.findIndex((item) => item.matches(":focus"));
    all[(at + by + all.length) % all.length]?.focus();
  }

  private show(): void {
    const now = window.layerloomScheme?.choice() ?? "system";
    for (const item of this.items) item.setAttribute("aria-checked", String(item.dataset.choice === now));
    const [, name, paths] = CHOICES.find(([choice]) => choice === now) ?? CHOICES[0]!;
    this.button.innerHTML = icon(paths);
    this.button.title = this.button.ariaLabel = `Light or dark: ${name.toLowerCase()}`;
  }

  end(): void {
    this.listening.abort();
  }
}
