import type { Sql } from '@countersign/store';

/** When the last answer is older than this, the store is probed in the background. */
const ASK_AFTER_MS = 500;
/** Older than this, nothing is ruled before it answers. */
const TRUST_MS = 2000;

/**
 * Whether the store answers. Most rulings need no SQL, but where the store is unavailable nothing may be let through: it could not
 * be executed, limited or shown. One small query a second at most, whatever the traffic.
 */
export class StoreHealthCheck {
  private answered_ms = Number.NEGATIVE_INFINITY;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly sql: Sql,
    private readonly monotonic_ms: () => number,
  ) {}

  /** Undefined: it answered recently. Else resolves when it answers. @throws InfrastructureFault where it is unavailable. */
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
