/** Says beside the button Train that a run begins, before the server has heard of the press. */

import { isStart, type Down, type Mountable, type StartDown } from "./protocol";
import { piece } from "./tools";

const BUTTON = ".st-key-train button";
const LOOK_MS = 1000;
const WORDS = "Starting";

/** Whether the page has drawn what it had to: a press that was lost on its way brings nothing. */
const isIdle = (): boolean =>
  document.querySelector<HTMLElement>("[data-testid=stApp]")?.dataset.testScriptState === "notRunning";

export class Starting implements Mountable {
  private readonly says = piece("span", "starting");
  private looks: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly host: HTMLElement,
    private down: StartDown,
  ) {
    host.classList.add("starts");
    this.says.setAttribute("role", "status");
    this.says.hidden = true;
    host.append(this.says);
    document.addEventListener("click", this.onClick, true);
  }

  fits(down: Down): boolean {
    return isStart(down);
  }

  update(down: Down): void {
    if ((down as StartDown).starting !== this.down.starting) this.end();
    this.down = down as StartDown;
  }

  destroy(): void {
    this.end();
    document.removeEventListener("click", this.onClick, true);
    this.host.replaceChildren();
  }

  private readonly onClick = (event: MouseEvent): void => {
    const button = event.composedPath().find((at): at is Element => at instanceof Element && at.matches(BUTTON));
    if (button instanceof HTMLButtonElement && !button.disabled) this.begin();
  };

  private begin(): void {
    this.end();
    this.says.textContent = WORDS;
    this.says.hidden = false;
    let idle = 0;
    this.looks = setInterval(() => {
      idle = isIdle() ? idle + 1 : 0;
      if (idle > 2) this.end();
    }, LOOK_MS);
  }

  private end(): void {
    clearInterval(this.looks);
    this.says.hidden = true;
    this.says.textContent = "";
  }
}
