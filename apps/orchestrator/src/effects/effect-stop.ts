/** Stops an effect that its saga no longer needs. Most end by themselves: a signal is made only for those that wait for it. */
export class EffectStop {
  private controller: AbortController | undefined;
  private stopped = false;

  get is_stopped(): boolean {
    return this.stopped;
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.stopped) this.controller.abort();
    return this.controller.signal;
  }

  now(): void {
    this.stopped = true;
    this.controller?.abort();
  }
}
