/** The tour: a card that goes from thing to thing, across pages, with what it speaks of lit. */

import { find } from "./deep";
import { besides, inWindow } from "./place";
import type { Data } from "./protocol";

const AT = "layerloom:tour-at"; // of this tab: a reload goes on where it was
const SEEN = "layerloom:tour-seen"; // of this browser: it is offered once
const LOOK_MS = 120;
const AGAIN_MS = 5000;

const plain = (text: string): Node[] =>
  text.split("**").map((part, number) => {
    if (number % 2 === 0) return document.createTextNode(part);
    const bold = document.createElement("b");
    bold.textContent = part;
    return bold;
  });

function button(words: string, act: () => void, kind = ""): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = kind;
  made.textContent = words;
  made.onclick = act;
  return made;
}

/** The last time that the tour was asked for: a page that is drawn anew begins it no second time. */
let begun = "";

/** What a browser keeps; where it may keep nothing, nothing was kept. */
const memory = (read: () => string | null): string | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

export class Tour {
  private readonly dialog = document.createElement("dialog");
  private readonly mark = document.createElement("div");
  private readonly card = document.createElement("div");
  private readonly count = document.createElement("span");
  private readonly title = document.createElement("h2");
  private readonly text = document.createElement("p");
  private readonly back = button("Back", () => this.go(this.at - 1));
  private readonly next = button("Next", () => this.go(this.at + 1), "primary");
  private readonly offer = document.createElement("section");
  private at = -1;
  private asked = { page: "", at: 0 };
  private lit: HTMLElement | null = null;
  private looking: ReturnType<typeof setInterval> | undefined;

  constructor(
    private data: Data,
    root: ParentNode,
    private lead: (page: string) => void,
  ) {
    this.dialog.dataset.testid = "tour";
    this.dialog.setAttribute("aria-labelledby", "tour-title");
    this.mark.className = "mark";
    this.card.className = "card";
    this.title.id = "tour-title";
    const words = document.createElement("div");
    words.setAttribute("aria-live", "polite");
    words.append(this.count, this.title, this.text);
    const foot = document.createElement("footer");
    foot.append(
      button("Skip", () => this.end(), "plain"),
      this.back,
      this.next,
    );
    this.card.append(words, foot);
    this.dialog.append(this.mark, this.card);
    this.dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.end();
    });
    this.dialog.addEventListener("keydown", (event) => this.key(event));
    this.makeOffer();
    root.append(this.dialog, this.offer);
    const left = memory(() => sessionStorage.getItem(AT));
    if (!this.isBegun() && left !== null) this.go(Number(left));
  }

  private isBegun(): boolean {
    const asked = this.data.begin !== "" && this.data.begin !== begun;
    begun = this.data.begin;
    if (asked) this.go(0);
    return asked;
  }

  update(data: Data, lead: (page: string) => void): void {
    this.data = data;
    this.lead = lead;
    this.isBegun();
    this.showOffer();
  }

  /** Show a step, on its page. */
  private go(to: number): void {
    const step = this.data.steps[to];
    if (!step) return to < 0 ? undefined : this.end();
    this.at = to;
    memory(() => {
      sessionStorage.setItem(AT, String(to));
      return null;
    });
    this.count.textContent = `${to + 1} of ${this.data.steps.length}`;
    this.title.textContent = step.name;
    this.text.replaceChildren(...plain(step.text));
    this.back.disabled = to === 0;
    this.next.textContent = to + 1 === this.data.steps.length ? "Done" : "Next";
    this.lit = null;
    this.asked = { page: "", at: 0 };
    if (!this.dialog.open) {
      this.dialog.showModal();
      this.next.focus();
    }
    if (this.back.disabled && this.back.matches(":focus")) this.next.focus();
    clearInterval(this.looking);
    this.looking = setInterval(() => this.look(), LOOK_MS);
    this.look();
    this.showOffer();
  }

  /** Light what the step speaks of, once it is there, and wherever it moves. */
  private look(): void {
    const step = this.data.steps[this.at];
    if (!step) return;
    if (step.page !== this.data.page) this.ask(step.page);
    const there = step.page === this.data.page ? step.at.map((at) => find(at)).find(Boolean) : null;
    if (there && there !== this.lit) there.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.lit = there ?? null;
    const window = { width: innerWidth, height: innerHeight };
    const box = there ? inWindow(there.getBoundingClientRect(), window) : null;
    this.mark.dataset.at = box ? step.name : "";
    const { width, height } = this.card.getBoundingClientRect();
    const middle = { left: window.width / 2, top: window.height / 2, width: 0, height: 0 };
    put(this.mark, box ?? middle);
    this.mark.style.width = `${box?.width ?? 0}px`;
    this.mark.style.height = `${box?.height ?? 0}px`;
    const free = { left: (window.width - width) / 2, top: (window.height - height) / 2 };
    put(this.card, box ? besides(box, { width, height }, window) : free);
  }

  /** Ask for a page; again when it does not come. */
  private ask(page: string): void {
    if (this.asked.page === page && Date.now() - this.asked.at < AGAIN_MS) return;
    this.asked = { page, at: Date.now() };
    this.lead(page);
  }

  private key(event: KeyboardEvent): void {
    event.stopPropagation(); // a letter is no key of the page here
    if (event.key === "ArrowRight") this.go(this.at + 1);
    else if (event.key === "ArrowLeft") this.go(this.at - 1);
  }

  private end(): void {
    clearInterval(this.looking);
    this.at = -1;
    memory(() => {
      sessionStorage.removeItem(AT);
      return null;
    });
    this.seen();
    this.dialog.close();
  }

  private seen(): void {
    memory(() => {
      localStorage.setItem(SEEN, "yes");
      return null;
    });
    this.showOffer();
  }

  private makeOffer(): void {
    const words = document.createElement("p");
    words.textContent = "New here? A short tour shows you around.";
    const foot = document.createElement("footer");
    foot.append(
      button("Not now", () => this.seen(), "plain"),
      button("Show me around", () => this.go(0), "primary"),
    );
    this.offer.className = "offer";
    this.offer.setAttribute("aria-label", "Tour");
    this.offer.dataset.testid = "tour-offer";
    this.offer.append(words, foot);
    this.showOffer();
  }

  /** On the start page, until the tour was taken or declined in this browser. */
  private showOffer(): void {
    const known = memory(() => localStorage.getItem(SEEN)) !== null;
    this.offer.hidden = known || this.at >= 0 || this.data.page !== "start";
  }

  over(): void {
    clearInterval(this.looking);
    this.dialog.remove();
  }
}

function put(element: HTMLElement, { left, top }: { left: number; top: number }): void {
  element.style.translate = `${Math.round(left)}px ${Math.round(top)}px`;
}
