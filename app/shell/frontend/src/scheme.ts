/**
 * Light or dark, as the reader chose, before anything is drawn; and one entry of the history a page.
 *
 * A script of its own at the top of the page, where the shape of the start page is, too: Streamlit
 * and all that is drawn ask the browser what it prefers, and follow when that changes. Where the reader chose, this answers in its place.
 */

import { oneEntryPerPage, ofPage, Passed } from "./address";
import type { Choice, Scheme } from "./protocol";

const passed = new Passed();
oneEntryPerPage(history, () => location.href, passed);
addEventListener("popstate", () => passed.came(location.pathname), true); // before Streamlit hears of it
for (const name of ["pointerdown", "keydown"])
  addEventListener(name, (event) => ofPage(event) && passed.forget(), true);

(() => {
  const KEY = "layerloom:scheme";
  const OLD = "stActiveTheme-"; // where Streamlit's own menu kept a choice
  const { light, dark } = (document.currentScript as HTMLScriptElement).dataset;
  const browsers = matchMedia("(prefers-color-scheme: dark)");
  const ask = matchMedia.bind(window);
  let chosen: Choice = "system";

  const isDark = (): boolean => (chosen === "system" ? browsers.matches : chosen === "dark");

  /** What matchMedia answers: true while the page is dark, or while it is light. */
  class Preferred extends EventTarget {
    onchange: ((event: Event) => void) | null = null;
    constructor(
      readonly media: string,
      private readonly ofDark: boolean,
    ) {
      super();
      this.addEventListener("change", (event) => this.onchange?.(event));
    }
    get matches(): boolean {
      return isDark() === this.ofDark;
    }
    addListener(heard: (event: Event) => void): void {
      this.addEventListener("change", heard);
    }
    removeListener(heard: (event: Event) => void): void {
      this.removeEventListener("change", heard);
    }
  }

  const answers = ["dark", "light"].map((name) => new Preferred(`(prefers-color-scheme: ${name})`, name === "dark"));
  window.matchMedia = (query) =>
    (answers.find(({ media }) => media === query) as MediaQueryList | undefined) ?? ask(query);

  function show(): void {
    const root = document.documentElement.style;
    root.colorScheme = isDark() ? "dark" : "light";
    root.backgroundColor = (isDark() ? dark : light) ?? "";
  }

  /** Follow what changes the scheme; tell those who listen where it did. */
  function turn(change: () => void): void {
    const before = isDark();
    change();
    show();
    if (isDark() !== before) for (const answer of answers) answer.dispatchEvent(new Event("change"));
    dispatchEvent(new Event("layerloom:scheme"));
  }

  const choiceOf = (text: string | null): Choice => (text === "light" || text === "dark" ? text : "system");

  /** A browser may keep nothing; then a choice lasts as long as the page. */
  function kept(): string | null {
    try {
      const old = Object.keys(localStorage).filter((key) => key.startsWith(OLD));
      const was = /Light|Dark/.exec(localStorage.getItem(`${OLD}${location.pathname}-v2`) ?? "")?.[0].toLowerCase();
      for (const key of old) localStorage.removeItem(key);
      if (was && localStorage.getItem(KEY) === null) localStorage.setItem(KEY, was);
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  }

  function choose(choice: Choice): void {
    turn(() => void (chosen = choice));
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      return; // see kept
    }
  }

  /**
   * The shape of the start page stands in the first page until something is drawn. It goes once and
   * for all: with the first card, with what another page or an error begins with, or after a while.
   */
  function dropFirstShape(): void {
    const drawn = '[class*="st-key-card_"], .st-key-canvas_slot, [data-testid="stAlert"]';
    const began = location.pathname;
    const gone = (): void => {
      document.getElementById("ll-first")?.remove();
      watch.disconnect();
    };
    const watch = new MutationObserver(() => {
      if (location.pathname !== began || document.querySelector(drawn)) gone();
    });
    watch.observe(document.documentElement, { childList: true, subtree: true });
    setTimeout(gone, 20_000);
  }

  chosen = choiceOf(kept());
  show();
  let was = browsers.matches;
  browsers.addEventListener("change", ({ matches }) => {
    const changed = chosen === "system" && matches !== was;
    was = matches;
    show();
    if (changed) for (const answer of answers) answer.dispatchEvent(new Event("change"));
  });
  addEventListener("storage", ({ key, newValue }) => {
    if (key === KEY) turn(() => void (chosen = choiceOf(newValue)));
  });
  const scheme: Scheme = { choice: () => chosen, choose };
  window.layerloomScheme = scheme;
  dropFirstShape();
})();
