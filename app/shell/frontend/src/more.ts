/** The menu at the right end of the bar: pages that are not always in it, help, light or dark. */

import type { Choice, Data, PageLink } from "./protocol";

const SUN =
  '<circle cx="12" cy="12" r="4.2"/><path d="M12 2.5v2.4M12 19.1v2.4M2.5 12h2.4M19.1 12h2.4M5.3 5.3 7 7M17 17l1.7 1.7M18.7 5.3 17 7M7 17l-1.7 1.7"/>';
const MOON = '<path d="M20 14.2A8.3 8.3 0 0 1 9.8 4 8.3 8.3 0 1 0 20 14.2Z"/>';
const SCREEN = '<rect x="3" y="4.5" width="18" height="12" rx="1.6"/><path d="M9 20.5h6M12 16.5v4"/>';
const CHEVRON = '<path d="m6 9.5 6 6 6-6"/>';
const CHOICES: [Choice, string, string][] = [
  ["system", "System", SCREEN],
  ["light", "Light", SUN],
  ["dark", "Dark", MOON],
];
/** What is sent for the help; no page has this name. */
const HELP = "help";
const STEP: Record<string, number> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

const drawn = (paths: string): string =>
  `<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round">${paths}</svg>`;

/** An icon of the font that the bar has its icons from. */
function icon(name: string): HTMLElement {
  const made = document.createElement("span");
  made.className = "icon";
  made.dataset.testid = "stIconMaterial";
  made.setAttribute("aria-hidden", "true");
  made.textContent = name;
  return made;
}

/** Whether a click is for the browser: a new tab, a new window. */
const forBrowser = (event: MouseEvent): boolean =>
  event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;

export class More {
  readonly root = document.createElement("div");
  private readonly button = document.createElement("button");
  private readonly menu = document.createElement("div");
  private readonly pages = document.createElement("div");
  private readonly choices = document.createElement("div");
  private readonly listening = new AbortController();

  constructor(
    private data: Data,
    private send: (what: string) => void,
  ) {
    this.root.className = "more";
    this.button.type = "button";
    this.button.dataset.testid = "more";
    this.button.innerHTML = `More${drawn(CHEVRON)}`;
    this.button.setAttribute("aria-haspopup", "menu");
    this.button.setAttribute("aria-expanded", "false");
    this.menu.setAttribute("role", "menu");
    this.menu.setAttribute("aria-label", "More");
    this.menu.popover = "auto"; // closes on Escape and on a click elsewhere
    this.button.popoverTargetElement = this.menu;
    this.pages.setAttribute("role", "group");
    this.pages.setAttribute("aria-label", "Pages");
    this.choices.setAttribute("role", "group");
    this.choices.setAttribute("aria-label", "Light or dark");
    this.choices.className = "choices";
    this.choices.append(...CHOICES.map(([choice, name, paths]) => this.choice(choice, name, paths)));
    this.menu.append(this.pages, line(), this.help(), line(), this.choices);
    this.menu.addEventListener("toggle", (event) => this.toggled(event.newState === "open"));
    this.menu.addEventListener("keydown", (event) => this.key(event));
    this.root.append(this.button, this.menu);
    addEventListener("layerloom:scheme", () => this.show(), { signal: this.listening.signal });
    this.show();
    this.list();
  }

  update(data: Data, send: (what: string) => void): void {
    const same = JSON.stringify(data) === JSON.stringify(this.data);
    this.data = data;
    this.send = send;
    if (!same) this.list();
  }

  private list(): void {
    this.pages.replaceChildren(...this.data.pages.map((page) => this.link(page)));
  }

  private link({ name, title, icon: of, address }: PageLink): HTMLElement {
    const link = document.createElement("a");
    link.setAttribute("role", "menuitem");
    link.href = new URL(address, document.baseURI).href;
    if (name === this.data.page) link.setAttribute("aria-current", "page");
    link.append(icon(of), title);
    link.onclick = (event) => {
      if (forBrowser(event)) return;
      event.preventDefault();
      this.choose(name);
    };
    return link;
  }

  private help(): HTMLElement {
    const item = document.createElement("button");
    item.type = "button";
    item.setAttribute("role", "menuitem");
    item.append(icon("help"), "Help");
    item.onclick = () => this.choose(HELP);
    return item;
  }

  private choice(choice: Choice, name: string, paths: string): HTMLElement {
    const item = document.createElement("button");
    item.type = "button";
    item.setAttribute("role", "menuitemradio");
    item.dataset.choice = choice;
    item.innerHTML = drawn(paths);
    item.append(name);
    item.onclick = () => {
      window.layerloomScheme?.choose(choice);
      this.menu.hidePopover();
    };
    return item;
  }

  private choose(what: string): void {
    this.menu.hidePopover();
    this.send(what);
  }

  /** A browser gives the focus back to the host of a shadow root, where nothing has it. */
  private close(): void {
    this.menu.hidePopover();
    this.button.focus();
  }

  private get items(): HTMLElement[] {
    return [...this.menu.querySelectorAll<HTMLElement>("a, button")];
  }

  private toggled(open: boolean): void {
    this.button.setAttribute("aria-expanded", String(open));
    if (open) this.items[0]?.focus();
  }

  private key(event: KeyboardEvent): void {
    event.stopPropagation(); // a letter is no key of the page here
    if (event.key === "Escape") return this.close();
    const all = this.items;
    const by = STEP[event.key];
    const at = all.findIndex((item) => item.matches(":focus"));
    const to = { Home: 0, End: all.length - 1 }[event.key] ?? (by && (at + by + all.length) % all.length);
    if (to === undefined) return;
    event.preventDefault();
    all[to]?.focus();
  }

  private show(): void {
    const now = window.layerloomScheme?.choice() ?? "system";
    for (const item of this.choices.querySelectorAll<HTMLElement>("button"))
      item.setAttribute("aria-checked", String(item.dataset.choice === now));
  }

  end(): void {
    this.listening.abort();
  }
}

function line(): HTMLElement {
  const made = document.createElement("div");
  made.setAttribute("role", "separator");
  return made;
}
