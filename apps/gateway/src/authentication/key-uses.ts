import type { ApiKey } from '@countersign/domain';
import type { Clock, Logger } from '@countersign/process';
import { type KeyUse, keepKeyUses, readKeyUses, type Sql } from '@countersign/store';

/** Resolution of `last_used_at`: a key is recorded as used once in this period. */
export const KEY_USES_EVERY_MS = 600_000;
/** The first use in a period is written after this delay, together with the uses of other keys. */
const WRITTEN_AFTER_MS = 5_000;
const WRITTEN_AT_ONCE = 1_000;

/** Stores when keys were last used. Any further request with the same key within ten minutes costs one set lookup. */
export class KeyUses {
  /** Keys used in the current period of ten minutes. */
  private readonly used = new Set<ApiKey>();
  private noted: KeyUse[] = [];
  private writing: Promise<void> = Promise.resolve();
  private timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly sql: Sql,
    private readonly clock: Pick<Clock, 'now_ms'>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  note(key: ApiKey): void {
    if (!this.used.has(key)) this.add(key);
  }

  /** When these keys were last used, epoch ms. @throws InfrastructureFault */
  lastUses(tenant_id: string, key_ids: readonly string[]): Promise<Map<string, number>> {
    return readKeyUses(this.sql, tenant_id, key_ids);
  }

  /** Writes pending uses. If the store is unavailable, those times are lost and no request fails. */
  flush(): Promise<void> {
    const uses = [...new Map(this.noted.map((use) => [use.key_id, use])).values()];
    this.noted = [];
    this.writing = this.writing.then(() => this.write(uses));
    return this.writing;
  }

  /** Resolves when pending uses are written. */
  close(): Promise<void> {
    for (const timer of this.timers) clearTimeout(timer);
    return this.flush();
  }

  private add(key: ApiKey): void {
    if (this.used.size === 0) this.later(KEY_USES_EVERY_MS, () => this.used.clear());
    if (this.noted.length === 0) this.later(WRITTEN_AFTER_MS, () => void this.flush());
    this.used.add(key);
    this.noted.push({ tenant_id: key.tenant_id, key_id: key.key_id, last_used_at_ms: this.clock.now_ms() });
  }

  private later(after_ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.timers = this.timers.filter((one) => one !== timer);
      run();
    }, after_ms).unref();
    this.timers.push(timer);
  }

  private async write(uses: readonly KeyUse[]): Promise<void> {
    try {
      for (let at = 0; at < uses.length; at += WRITTEN_AT_ONCE) await keepKeyUses(this.sql, uses.slice(at, at + WRITTEN_AT_ONCE));
    } catch (err) {
      this.logger.warn({ event: 'key_uses_not_stored', keys: uses.length, err }, 'could not store when keys were last used');
    }
  }
}
