/** What stands above the charts: smoothing, and the way back from a zoom. */

export const piece = (tag: string, name: string): HTMLElement => {
  const element = document.createElement(tag);
  element.className = name;
  element.dataset.testid = name;
  return element;
};

/** A piece of a line as it is drawn, dashes and all. */
export function swatch(stroke: string, width: number, dash?: number[]): SVGElement {
  const mark = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  mark.setAttribute("class", "swatch");
  mark.setAttribute("aria-hidden", "true");
  const look = {
    x1: 0,
    x2: 22,
    y1: 4,
    y2: 4,
    stroke,
    "stroke-width": width,
    "stroke-dasharray": dash?.join(" ") ?? "none",
  };
  for (const [name, value] of Object.entries(look)) line.setAttribute(name, String(value));
  mark.append(line);
  return mark;
}

export class Tools {
  readonly element = piece("div", "run-tools");
  smoothing = 0;
  private readonly whole = document.createElement("button");

  constructor(changed: () => void, unzoom: () => void) {
    this.whole.type = "button";
    this.whole.textContent = "Show all";
    this.whole.hidden = true;
    this.whole.addEventListener("click", unzoom);
    const hint = piece("span", "run-hint");
    hint.textContent = "Drag across a chart to zoom in.";
    this.element.append(this.slider(changed), hint, this.whole);
  }

  set zoomed(zoomed: boolean) {
    this.whole.hidden = !zoomed;
    (this.whole.previousElementSibling as HTMLElement).hidden = zoomed;
  }

  private slider(changed: () => void): HTMLElement {
    const label = document.createElement("label");
    const input = document.createElement("input");
    const said = document.createElement("output");
    Object.assign(input, { type: "range", min: "0", max: "0.99", step: "0.01", value: "0" });
    input.setAttribute("aria-label", "Smoothing");
    input.addEventListener("input", () => {
      this.smoothing = Number(input.value);
      said.textContent = this.smoothing ? this.smoothing.toFixed(2) : "off";
      changed();
    });
    said.textContent = "off";
    label.append("Smoothing ", input, said);
    return label;
  }
}

/** Says what a run warns of; nothing where it does not. */
export function warn(place: HTMLElement, warnings: string[]): void {
  place.hidden = warnings.length === 0;
  if (place.childElementCount === warnings.length && place.textContent === warnings.join("")) return;
  place.replaceChildren(
    ...warnings.map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }),
  );
}

/** One choice of a few, as a row of buttons. */
export function choice(name: string, options: string[], chosen: string, choose: (option: string) => void): HTMLElement {
  const group = piece("div", "run-choice");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", name);
  for (const option of options) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = option;
    button.setAttribute("aria-pressed", String(option === chosen));
    button.addEventListener("click", () => {
      group.querySelectorAll("button").forEach((b) => b.setAttribute("aria-pressed", String(b === button)));
      choose(option);
    });
    group.append(button);
  }
  return group;
}
