import type { Principal, ToolContract } from '@countersign/contracts';
import { evolveReported, type ReportedScores, trustFields } from '@countersign/domain';
import type { ReadEvent } from '../read-event.js';
import type { TrustSource } from '../tenant-rulings.js';

/** The published trust scores at a time that only moves forward. */
export class TrustHistory implements TrustSource {
  private readonly scores: ReportedScores = new Map();
  private next = 0;

  /** `records`: those of trust-view, in offset order. */
  constructor(
    private readonly records: readonly ReadEvent[],
    private readonly now_ms: () => number,
  ) {}

  of(tenant_id: string, contract: ToolContract, principal: Principal): Readonly<Record<string, number | string>> {
    for (; this.next < this.records.length; this.next++) {
      const record = this.records[this.next] as ReadEvent;
      if (record.timestamp_ms > this.now_ms()) break;
      if (record.event_type === 'trust_score_changed') evolveReported(this.scores, record.event);
    }
    return trustFields(this.scores, tenant_id, contract, principal);
  }
}
