/** Why this process must end: the first reason that one of its parts reports. */
export class ProcessFailure {
  readonly happened: Promise<string>;
  private resolve: (reason: string) => void = () => undefined;

  constructor() {
    this.happened = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  report(reason: string): void {
    this.resolve(reason);
  }
}
