import type { AppDeps } from '@countersign/process';
import { forgetProducerRequests } from '@countersign/store';
import type { ProducerStanding } from './producer-standing.js';

/** A cancel finds its request by name for a day, and among this many of the producer's newest. */
const KEPT_MS = 86_400_000;
const KEPT_MAX = 100_000;

/** Forgets old names of requests, so that no producer fills the table. */
export class ProducerNames {
  constructor(
    private readonly deps: Pick<AppDeps, 'store' | 'clock'>,
    private readonly standing: ProducerStanding,
  ) {}

  /** @throws InfrastructureFault if the store is unavailable */
  async forgetOld(): Promise<void> {
    const before_ms = this.deps.clock.now_ms() - KEPT_MS;
    for (const producer_id of this.standing.producer_ids) {
      const { tenant_id } = this.standing.owner(producer_id);
      await forgetProducerRequests(this.deps.store, { tenant_id, producer_id }, { before_ms, kept_max: KEPT_MAX });
    }
  }
}
