import {
  approvalsNow,
  type ClosedTicket,
  callsNow,
  cancelledApprovals,
  caseStatuses,
  closedTickets,
  type ItemNow,
  readApprovals,
  type Sql,
  sagasNow,
} from '@countersign/store';
import type { Change, ChangeRecord } from './change.js';
import type { EventKind } from './event-kinds.js';
import type { ChangedItem } from './record-change.js';

/** What the open streams of a tenant show. */
export interface ShownKinds {
  kinds: ReadonlySet<EventKind>;
  /** Whether a stream sends approvals whole. */
  approvals: boolean;
}

type Now = ReadonlyMap<string, ItemNow>;

/** Adds to changes what the views say now: status, case, and items that a record does not name. */
export class ChangeDetails {
  constructor(private readonly sql: Sql) {}

  /** The changes of a tenant's records, in order. The views must have folded the records. */
  async of(tenant_id: string, records: readonly ChangeRecord[], shown: ShownKinds): Promise<Change[]> {
    const added = await this.unnamed(tenant_id, records, shown.kinds);
    const changes = records.flatMap((record, index) =>
      [...record.items, ...(added[index] ?? [])].flatMap((item, number) =>
        shown.kinds.has(item.kind) ? [changeOf(record, item, number)] : [],
      ),
    );
    await this.addStatuses(tenant_id, changes);
    if (shown.approvals) await this.addApprovals(tenant_id, changes);
    return changes;
  }

  private async unnamed(tenant_id: string, records: readonly ChangeRecord[], kinds: ReadonlySet<EventKind>): Promise<ChangedItem[][]> {
    const cancelled = records.flatMap(({ unnamed }) => (unnamed && 'cancelled_call' in unnamed ? [unnamed.cancelled_call] : []));
    const closing = records.flatMap(({ unnamed }) => (unnamed && 'closing_saga' in unnamed ? [unnamed.closing_saga] : []));
    const [approvals, tickets] = await Promise.all([
      cancelled.length > 0 && kinds.has('approval')
        ? cancelledApprovals(this.sql, tenant_id, unique(cancelled))
        : new Map<string, string[]>(),
      closing.length > 0 && kinds.has('ticket') ? closedTickets(this.sql, tenant_id, unique(closing)) : [],
    ]);
    return records.map(({ unnamed }) => {
      if (!unnamed) return [];
      if ('cancelled_call' in unnamed) return (approvals.get(unnamed.cancelled_call) ?? []).map((id) => ({ kind: 'approval', id }));
      return closedBy(tickets, unnamed).map(({ ticket_id: id }) => ({ kind: 'ticket', id }));
    });
  }

  private async addStatuses(tenant_id: string, changes: readonly Change[]): Promise<void> {
    const read = async (kind: EventKind, look: (ids: string[]) => Promise<Now>) => {
      const ids = unique(changes.flatMap((change) => (change.kind === kind ? [change.id] : [])));
      if (ids.length === 0) return;
      const found = await look(ids);
      for (const change of changes) if (change.kind === kind) setNow(change, found.get(change.id));
    };
    await Promise.all([
      read('call', (ids) => callsNow(this.sql, tenant_id, ids)),
      read('saga', (ids) => sagasNow(this.sql, tenant_id, ids)),
      read('approval', (ids) => approvalsNow(this.sql, tenant_id, ids)),
      read('case', async (ids) => {
        const statuses = await caseStatuses(this.sql, tenant_id, ids);
        return new Map([...statuses].map(([case_id, status]) => [case_id, { status, case_id }]));
      }),
    ]);
  }

  private async addApprovals(tenant_id: string, changes: readonly Change[]): Promise<void> {
    const ids = unique(changes.flatMap(({ kind, id }) => (kind === 'approval' ? [id] : [])));
    if (ids.length === 0) return;
    const rows = new Map((await readApprovals(this.sql, tenant_id, ids)).map((row) => [row.approval_id, row]));
    for (const change of changes) {
      const row = change.kind === 'approval' ? rows.get(change.id) : undefined;
      if (row) change.row = row;
    }
  }
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

const closedBy = (tickets: readonly ClosedTicket[], by: { closing_saga: string; closed_at_ms: number }): ClosedTicket[] =>
  tickets.filter(({ saga_id, closed_at_ms }) => saga_id === by.closing_saga && closed_at_ms === by.closed_at_ms);

function changeOf({ event_type, at_ms, slot, topic, partition, offset }: ChangeRecord, item: ChangedItem, number: number): Change {
  const closed = item.kind === 'ticket' ? { status: event_type === 'saga_ticket_opened' ? 'open' : 'closed' } : {};
  return { ...item, event_type, at_ms, slot, topic, partition, offset, item: number, ...closed };
}

function setNow(change: Change, now: ItemNow | undefined): void {
  if (!now) return;
  change.status = now.status;
  if (now.case_id !== null) change.case_id = now.case_id;
}
