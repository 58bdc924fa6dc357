import { Views } from '@countersign/calls';
import { countOpenSagas } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** Open sagas of one tenant; more are refused. */
export const OPEN_SAGAS_MAX = 10_000;
/** A count is read again after this time, ms. */
const FRESH_MS = 1_000;
const TENANTS_MAX = 10_000;

/** How many sagas of each tenant have not ended: as counted in the views at most a second ago, and those requested here since. */
@Injectable()
export class OpenSagaCounts {
  private readonly counts = new LRUCache<string, { open: number }>({ max: TENANTS_MAX, ttl: FRESH_MS });
  /** Counts that are being read: requests that arrive meanwhile share one. */
  private readonly reading = new Map<string, Promise<{ open: number }>>();

  constructor(private readonly views: Views) {}

  /** Whether the tenant may start no further saga now. */
  async isFull(tenant_id: string): Promise<boolean> {
    const known = this.counts.get(tenant_id) ?? (await this.read(tenant_id));
    return known.open >= OPEN_SAGAS_MAX;
  }

  private read(tenant_id: string): Promise<{ open: number }> {
    const under_way = this.reading.get(tenant_id);
    if (under_way) return under_way;
    const reading = countOpenSagas(this.views.store, tenant_id, OPEN_SAGAS_MAX)
      .then((open) => {
        const counted = { open };
        this.counts.set(tenant_id, counted);
        return counted;
      })
      .finally(() => this.reading.delete(tenant_id));
    this.reading.set(tenant_id, reading);
    return reading;
  }

  /** Counts a request. */
  add(tenant_id: string): void {
    const known = this.counts.get(tenant_id);
    if (known) known.open++;
  }
}
