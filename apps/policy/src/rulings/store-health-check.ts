import type { Sql } from '@countersign/store';

/** If the last response is older than this, the store is probed in the background. */
const ASK_AFTER_MS = 500;
/** If it is older than this, decisions wait for a response. */
const TRUST_MS = 2000;

/**
 * Checks whether the store responds. Most decisions need no SQL, but while the store is unavailable no call may be allowed: it could not
 * be executed, limited or shown. At most one small query per second, whatever the traffic.
 */
export class StoreHealthCheck {
  private answered_ms = Number.NEGATIVE_INFINITY;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly sql: Sql,
    private readonly monotonic_ms: () => number,
  ) {}

  /** Undefined if the store responded recently; otherwise resolves when it responds. @throws InfrastructureFault if it is unavailable. */
  need(): Promise<void> | undefined {
    const age_ms = this.monotonic_ms() - this.answered_ms;
    if (age_ms < ASK_AFTER_MS) return undefined;
    const asking = this.ask();
    if (age_ms >= TRUST_MS) return asking;
    asking.catch(() => undefined);
    return undefined;
  }

  private ask(): Promise<void> {
    this.asking ??= this.sql
      .query({ name: 'store_pulse', text: 'SELECT 1 AS one', params: [] })
      .then(() => {
        this.answered_ms = this.monotonic_ms();
      })
      .finally(() => {
        this.asking = undefined;
      });
    return this.asking;
  }
}
