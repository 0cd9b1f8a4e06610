/** Asks the route for what a run has written since; slower on failure, silent in a hidden tab. */

import { isOver, type Chunk, type Column } from "./protocol";

const EVERY_MS = 700;
const SLOWEST_MS = 8000;
const AWAY = "The server does not answer.";

/** What a route of ours answers. Throws with a sentence where it does not, or refuses. */
export async function askRoute(
  path: string,
  token: string,
  query: Record<string, number> = {},
): Promise<Record<string, unknown>> {
  const url = new URL(`api/ll/${path}`, document.baseURI);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  const response = await fetch(url, { headers: { "x-ll-token": token }, cache: "no-store" });
  if (!isJson(response)) throw new Error(AWAY); // a proxy's page, or Streamlit's own
  const body = await response.json();
  if (!response.ok) throw new Error(String(body.error ?? `The server answered ${response.status}.`));
  return body;
}

const isJson = (response: Response): boolean =>
  (response.headers.get("content-type") ?? "").includes("application/json");

/** Steps of a part; where they are many, each with the mean of the steps it stands for. */
export interface Steps {
  step?: Column;
  loss?: Column;
  loss_mean?: Column;
}

export class Poller {
  private offset = 0;
  private attempt = 0;
  private wait = EVERY_MS;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;

  constructor(
    private readonly run: string,
    public token: string,
    private readonly take: (chunk: Chunk) => void,
    private readonly trouble: (message: string) => void,
  ) {
    document.addEventListener("visibilitychange", this.onVisible);
    void this.ask();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.onVisible);
  }

  /** Asks now, also after the run was over: it may have been resumed. */
  wake(): void {
    if (this.stopped) return;
    clearTimeout(this.timer);
    void this.ask();
  }

  private readonly onVisible = (): void => {
    if (!document.hidden) this.wake();
  };

  private async ask(): Promise<void> {
    let again = true;
    try {
      const chunk = await this.fetchChunk();
      if (this.stopped) return;
      this.offset = chunk.next;
      this.attempt = chunk.view.attempt;
      this.wait = EVERY_MS;
      again = !isOver(chunk.view.state);
      this.take(chunk);
    } catch (error) {
      if (this.stopped) return;
      this.wait = Math.min(SLOWEST_MS, this.wait * 2);
      this.trouble(error instanceof Error ? error.message : String(error));
    }
    clearTimeout(this.timer);
    if (again && !document.hidden) this.timer = setTimeout(() => void this.ask(), this.wait);
  }

  /** Every step from `low` to `high`, as far as a screen can show them. */
  async steps(low: number, high: number): Promise<Steps> {
    return (await this.get("/steps", { low, high })).steps as Steps;
  }

  private async fetchChunk(): Promise<Chunk> {
    return (await this.get("", { from: this.offset, attempt: this.attempt })) as unknown as Chunk;
  }

  private async get(what: string, query: Record<string, number>): Promise<Record<string, unknown>> {
    return askRoute(`runs/${encodeURIComponent(this.run)}${what}`, this.token, query);
  }
}
