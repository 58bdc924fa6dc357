import { insertSecurityEvents, type SecurityEventWrite, type Statement, securityTables as set } from '@countersign/store';
import { type Change, inChunks, type PendingRows, type Projection, storable } from '../projection.js';

class PendingSecurityEvents implements PendingRows {
  private readonly rows = new Map<string, SecurityEventWrite>();

  fold({ at }: Change): void {
    if (at.event_type !== 'security_event_recorded') return;
    const { meta, kind, detail, principal, times } = at.event;
    const key = `${meta.tenant_id} ${meta.event_id}`;
    if (this.rows.has(key)) return;
    this.rows.set(key, {
      tenant_id: storable(meta.tenant_id),
      event_id: meta.event_id,
      kind: storable(kind),
      detail: storable(detail),
      principal_id: storable(principal?.id ?? null),
      principal: principal && storable(JSON.stringify(principal)),
      call_id: meta.call_id,
      at_ms: at.timestamp_ms,
      source_partition: at.partition,
      source_offset: at.offset,
      times,
    });
  }

  statements(): Statement[] {
    return inChunks([...this.rows.values()], insertSecurityEvents);
  }
}

/** Refused, forged or malformed requests and records: by whom, what, on which call. */
export const security: Projection = { set, empty: () => new PendingSecurityEvents() };
