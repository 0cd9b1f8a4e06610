/** Whether the page is dark, by the colour behind the editor. */

/** Brightness of a colour #rrggbb from 0 to 1; 1 for any other text. */
export function brightness(colour: string): number {
  const match = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})/i.exec(colour.trim());
  if (!match) return 1;
  const [red, green, blue] = match.slice(1).map((part) => parseInt(part, 16) / 255) as [number, number, number];
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

/** Whether an element lies on a dark page. */
export function isDark(host: Element): boolean {
  return brightness(getComputedStyle(host).getPropertyValue("--st-background-color")) < 0.5;
}
