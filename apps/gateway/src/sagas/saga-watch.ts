import type { SagaRecord } from './saga-watches.js';

/** Records that answer a request; all others only show progress. */
const ANSWERS: ReadonlySet<SagaRecord['event_type']> = new Set([
  ...(['saga_started', 'saga_ended', 'saga_controlled', 'saga_wait_ended', 'saga_request_refused'] as const),
]);
/** More answers for one saga while one request waits are dropped: the views have them. */
const KEPT_MAX = 100;

/** The answers on the record of one saga since the watch was opened. */
export class SagaWatch {
  private readonly answers: SagaRecord[] = [];
  private arrived: (() => void)[] = [];

  constructor(readonly close: () => void) {}

  /** Only records that may answer a request; one without its type may. */
  wants({ event_type }: Readonly<Record<string, string>>): boolean {
    return event_type === undefined || (ANSWERS as ReadonlySet<string>).has(event_type);
  }

  take(at: SagaRecord): void {
    if (!ANSWERS.has(at.event_type) || this.answers.length >= KEPT_MAX) return;
    this.answers.push(at);
    for (const resolve of this.arrived.splice(0)) resolve();
  }

  /** The first answer of a kind that has arrived, with these contents. */
  find<T extends SagaRecord>(isKind: (at: SagaRecord) => at is T, has: (event: T['event']) => boolean = () => true): T | undefined {
    return this.answers.filter(isKind).find(({ event }) => has(event));
  }

  /** True once an answer arrives; false if none does in this time. */
  next(timeout_ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeout_ms);
      this.arrived.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }
}
