/** Elements of the page, also those in the shadow roots of our components. */

export function find(selector: string, root: ParentNode = document): HTMLElement | null {
  const here = [...root.querySelectorAll<HTMLElement>(selector)].find(isSeen);
  if (here) return here;
  for (const host of root.querySelectorAll("*")) {
    const inside = host.shadowRoot && find(selector, host.shadowRoot);
    if (inside) return inside;
  }
  return null;
}

function isSeen(element: HTMLElement): boolean {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0;
}
