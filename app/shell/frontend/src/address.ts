/**
 * One entry of the history for each page: Back needs one press.
 *
 * Streamlit makes an entry when a page is turned, and another when the page then writes into the
 * address what it shows (project, run). The second one takes the place of the first.
 */

/** Whether an address only says more of the page that is there. Both as the browser has them. */
export function staysOnPage(now: string, next: string | URL | null | undefined): boolean {
  if (next === null || next === undefined) return false;
  const here = new URL(now),
    there = new URL(next, now);
  return here.origin === there.origin && here.pathname === there.pathname && here.search !== there.search;
}

/** From now on such an address is written over the one before it. */
export function oneEntryPerPage(history: Pick<History, "pushState" | "replaceState">, now: () => string): void {
  const push = history.pushState.bind(history);
  history.pushState = (state, unused, url) =>
    staysOnPage(now(), url) ? history.replaceState(state, unused, url) : push(state, unused, url);
}
