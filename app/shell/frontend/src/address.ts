/**
 * One entry of the history for each page: Back needs one press.
 *
 * Streamlit makes an entry when a page is turned, and another when the page then writes into the
 * address what it shows (project, run). The second one takes the place of the first.
 *
 * It also makes one when a page begins that is no longer at the address: after Back is pressed
 * twice, the first of these pages begins late, and its entry would end the way forward.
 */

/** Whether an address only says more of the page that is there. Both as the browser has them. */
export function staysOnPage(now: string, next: string | URL | null | undefined): boolean {
  if (next === null || next === undefined) return false;
  const here = new URL(now),
    there = new URL(next, now);
  return here.origin === there.origin && here.pathname === there.pathname && here.search !== there.search;
}

/** The paths that Back and Forward have led to since a hand or a key did something on the page. */
export class Passed {
  private paths: string[] = [];

  came(path: string): void {
    this.paths.push(path);
  }

  forget(): void {
    this.paths = [];
  }

  /** Whether Back or Forward led to a path and then on from it. */
  has(path: string): boolean {
    return this.paths.at(-1) !== path && this.paths.includes(path);
  }
}

/** Whether an event of the page is no press of Back or Forward itself. */
export const ofPage = (event: Event): boolean =>
  event instanceof KeyboardEvent ? !(event.altKey || event.metaKey) : (event as PointerEvent).button < 3;

/** From now on such an address is written over the one before it, and a late one not at all. */
export function oneEntryPerPage(
  history: Pick<History, "pushState" | "replaceState">,
  now: () => string,
  passed: Passed,
): void {
  const push = history.pushState.bind(history);
  history.pushState = (state, unused, url) => {
    if (url && passed.has(new URL(url, now()).pathname)) return;
    if (staysOnPage(now(), url)) history.replaceState(state, unused, url);
    else push(state, unused, url);
  };
}
