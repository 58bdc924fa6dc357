import type { ExportTopic } from '@countersign/contracts';
import { auditEventOf, callFacts, saysItsCall } from '@countersign/domain';
import { insertOutbox, type OutboxRow, type Statement, exportOutboxTables as set } from '@countersign/store';
import { historyOf } from '../case-history/lines.js';
import { type Change, inChunks, type PendingRows, type Projection, storable } from '../projection.js';

/** The outbox rows of a change, for the analytics topics. */
export function exportsOf(change: Change, topics: ReadonlySet<ExportTopic>): OutboxRow[] {
  const { at, after } = change;
  const rows: OutboxRow[] = [];
  const { hlc, event_id } = at.event.meta;
  const tenant_id = storable(at.event.meta.tenant_id);
  const body = (value: object) => storable(JSON.stringify(value));
  if (topics.has('audit-view')) {
    // Data about the call in the record itself does not depend on what else was read: a repeated export is equal.
    const event = auditEventOf(at, after && !saysItsCall(at) ? callFacts(after) : undefined);
    rows.push({ tenant_id, hlc, event_id, stream: 'audit-view', seq: 0, body: body({ meta: at.event.meta, event }) });
  }
  if (topics.has('case-history-view')) {
    for (const line of historyOf(change)) {
      const meta = { ...at.event.meta, call_id: line.call_id, event_id: line.event_id, hlc: line.hlc };
      rows.push({
        tenant_id,
        hlc: line.hlc,
        event_id: line.event_id,
        stream: 'case-history-view',
        seq: line.seq,
        body: body({ meta, line }),
      });
    }
  }
  return rows;
}

class PendingExports implements PendingRows {
  private readonly rows: OutboxRow[] = [];

  constructor(private readonly topics: ReadonlySet<ExportTopic>) {}

  fold(change: Change): void {
    if (this.topics.size > 0) this.rows.push(...exportsOf(change, this.topics));
  }

  statements(): Statement[] {
    return inChunks(this.rows, insertOutbox);
  }
}

/**
 * Exports for analytics topics, as outbox rows that a publisher deletes after publishing. A row is written once, with the fold's own
 * offsets. Topics that are not configured cost nothing.
 */
export function standingExports(topics: readonly ExportTopic[]): Projection {
  const wanted = new Set(topics);
  return { set, empty: () => new PendingExports(wanted) };
}
