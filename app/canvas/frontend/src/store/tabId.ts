/** The name of this browser tab for Python: the same after a reload, another one in a second tab. */

const KEY = "layerloom:tab";

/**
 * While the page is open the name stands nowhere: so a tab that is duplicated, with its storage, gets
 * one of its own.
 */
export function tabName(): string {
  const fresh = crypto.getRandomValues(new Uint32Array(2)).join("");
  try {
    const name = sessionStorage.getItem(KEY) ?? fresh;
    sessionStorage.removeItem(KEY);
    addEventListener("pagehide", () => sessionStorage.setItem(KEY, name));
    addEventListener("pageshow", () => sessionStorage.removeItem(KEY)); // back from the browser's memory
    return name;
  } catch {
    return fresh; // The browser refuses storage: then a reload is taken for another tab.
  }
}
