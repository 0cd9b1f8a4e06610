/** One thing to be done at the soonest of the times it was asked for. */

export class Debounce {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private at = 0;

  constructor(private readonly run: () => void) {}

  get pending(): boolean {
    return this.timer !== undefined;
  }

  /** Milliseconds until it is done; 0 where nothing waits. */
  get remaining(): number {
    return this.pending ? Math.max(0, this.at - Date.now()) : 0;
  }

  /** Do it in so many milliseconds, 0 at once, unless it is done sooner anyway. */
  schedule(wait: number): void {
    const at = Date.now() + wait;
    if (this.pending && this.at <= at) return;
    this.cancel();
    this.at = at;
    if (wait === 0) this.run();
    else this.timer = setTimeout(this.run, wait);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
