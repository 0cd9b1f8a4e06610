/** One thing to be done at the soonest of the times it was asked for. */

export class Due {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private at = 0;

  constructor(private readonly run: () => void) {}

  get waiting(): boolean {
    return this.timer !== undefined;
  }

  /** Milliseconds until it is done; 0 where nothing waits. */
  get left(): number {
    return this.waiting ? Math.max(0, this.at - Date.now()) : 0;
  }

  /** Do it in so many milliseconds, 0 at once, unless it is done sooner anyway. */
  in(wait: number): void {
    const at = Date.now() + wait;
    if (this.waiting && this.at <= at) return;
    this.clear();
    this.at = at;
    if (wait === 0) this.run();
    else this.timer = setTimeout(this.run, wait);
  }

  clear(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
