/**
 * The short way to Python: a route that answers an edit without running the page's script.
 * Streamlit's own channel stays for everything else, and for whenever this way fails.
 */

import type { Down, Up } from "../protocol";

const REST_MS = 10_000;
const LONGEST_MS = 20_000;
const PATH = "api/ll/canvas";

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export class HttpChannel {
  private token = "";
  private closedUntil = 0;

  constructor(
    private readonly fetch: Fetch | undefined = globalThis.fetch?.bind(globalThis),
    private readonly base = () => document.baseURI,
  ) {}

  /** Another token is another session of Python: the way is open again. */
  setToken(token: string): void {
    if (token !== this.token) this.closedUntil = 0;
    this.token = token;
  }

  get open(): boolean {
    return this.token !== "" && this.fetch !== undefined && Date.now() >= this.closedUntil;
  }

  /** Send a snapshot and return the answer; a failure closes the way for a while. */
  async post(up: Up): Promise<Down> {
    try {
      const answer = await (this.fetch as Fetch)(new URL(PATH, this.base()).href, {
        method: "POST",
        body: JSON.stringify(up),
        cache: "no-store",
        credentials: "same-origin",
        headers: { "Content-Type": "application/json", "X-LL-Token": this.token },
        signal: AbortSignal.timeout(LONGEST_MS),
      });
      if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
      return (await answer.json()) as Down;
    } catch (error) {
      this.closedUntil = Date.now() + REST_MS;
      throw error;
    }
  }
}
