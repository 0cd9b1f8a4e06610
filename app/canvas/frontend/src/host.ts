/** The canvas in the page: it fills the window below its place, and follows light and dark. */

const LEAST = 520;
const BELOW = 12;

/** Keep the height of `host`: as given, or down to the lower edge of the window. */
export function fillHeight(host: HTMLElement, given: () => number | null): () => void {
  const place = () => {
    const top = Math.max(0, host.getBoundingClientRect().top + scrolled(host));
    const height = given() ?? Math.max(LEAST, innerHeight - top - BELOW);
    const text = `${Math.round(height)}px`;
    if (host.style.height !== text) host.style.height = text;
  };
  const watch = new ResizeObserver(place);
  watch.observe(document.documentElement);
  if (document.body) watch.observe(document.body);
  addEventListener("resize", place);
  const early = [0, 100, 400, 1500].map((ms) => setTimeout(place, ms));
  return () => {
    watch.disconnect();
    removeEventListener("resize", place);
    early.forEach(clearTimeout);
  };
}

/** How far the page's own scrolling area around `host` is scrolled down. */
function scrolled(host: HTMLElement): number {
  const root = host.getRootNode();
  let element: Element | null = root instanceof ShadowRoot ? root.host : host.parentElement;
  for (; element; element = element.parentElement) {
    if (element.scrollTop > 0) return element.scrollTop;
  }
  return 0;
}

/** Tell the style sheet whether the page is dark, from its background colour. */
export function applyTheme(host: HTMLElement): void {
  const probe = document.createElement("i");
  probe.style.cssText = "display:none;color:var(--st-background-color,#fff)";
  host.append(probe);
  const [r = 255, g = 255, b = 255] = (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).map(Number);
  probe.remove();
  host.dataset.theme = 0.299 * r + 0.587 * g + 0.114 * b < 128 ? "dark" : "light";
}
