const PAUSE_MS = 1_000;

/** Reports something that may happen often: a second after it happened, and at most once a second. The last time is never lost. */
export class Repeated {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly report: () => void) {}

  happened(): void {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.report();
    }, PAUSE_MS).unref();
  }
}
