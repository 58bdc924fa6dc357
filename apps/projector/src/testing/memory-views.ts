import type { Row, Sql, Statement } from '@countersign/store';

type Rows = Map<string, Row>;

/** The views' statements on rows in memory: what their SQL does, for folds over many thousand shuffles. */
export class MemoryViews implements Sql {
  private readonly tables = new Map<string, Rows>();

  async query<R extends Row>({ name, params }: Statement): Promise<R[]> {
    if (name !== 'views_load_calls') throw new Error(`the memory views do not know ${name}`);
    const ids = zip(['call_uuid', 'partition'], params);
    return ids.flatMap((id) => this.table('calls').get(key(id.call_uuid, id.partition)) ?? []) as R[];
  }

  apply(statements: readonly Statement[]): void {
    for (const statement of statements) this.one(statement);
  }

  /** All rows, in an order that depends on nothing but them. */
  rows(): Record<string, Row[]> {
    const sorted = (rows: Rows) => [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    return Object.fromEntries([...this.tables].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, rows]) => [name, sorted(rows)]));
  }

  private one({ name, params }: Statement): void {
    switch (name) {
      case 'views_held_by':
      case 'views_store_offsets':
        return;
      case 'views_upsert_calls':
        for (const row of zip(callColumns, unjoined(params))) this.upsert('calls', key(row.call_uuid, row.partition), row, newerHlc);
        return;
      case 'views_upsert_cases':
        for (const row of zip(caseColumns, params)) this.upsert('cases', key(row.tenant_id, row.case_id), row, newerCase);
        return;
      case 'views_insert_case_history':
        for (const row of zip(historyColumns, params))
          this.upsert('case_history', key(row.case_id, row.hlc, row.event_id, row.seq), row, (old) => old);
        return;
      case 'views_upsert_approvals':
        for (const row of zip(approvalColumns, params))
          this.upsert('approvals', key(row.tenant_id, row.approval_id), row, filledUp('end_kind'));
        return;
      case 'views_upsert_votes':
        for (const row of zip(voteColumns, params))
          this.upsert('votes', key(row.tenant_id, row.approval_id, row.vote_id), row, filledUp('verdict'));
        return;
      default:
        throw new Error(`the memory views do not know ${name}`);
    }
  }

  private upsert(table: string, id: string, row: Row, merge: (old: Row, row: Row) => Row): void {
    const rows = this.table(table);
    const old = rows.get(id);
    rows.set(id, old ? merge(old, row) : row);
  }

  private table(name: string): Rows {
    const rows = this.tables.get(name) ?? new Map<string, Row>();
    this.tables.set(name, rows);
    return rows;
  }
}

const callColumns = [
  'call_uuid',
  'partition',
  'tenant_id',
  'case_id',
  'run_id',
  'tool',
  'status',
  'requested_at_ms',
  'hlc',
  'state',
  'waits_approval',
];
const caseColumns = ['tenant_id', 'case_id', 'state', 'title', 'opened_at_ms', 'changed_at_ms', 'source_offset'];
const historyColumns = ['tenant_id', 'case_id', 'hlc', 'event_id', 'seq', 'type', 'at_ms', 'partition', 'call_uuid', 'detail'];
const approvalColumns = [
  'tenant_id',
  'approval_id',
  'partition',
  'call_uuid',
  'revision',
  'requested_at_ms',
  'expires_at_ms',
  'requirement',
  'end_kind',
  'ended_at_ms',
  'ended_by',
  'end_reason',
];
const voteColumns = ['tenant_id', 'approval_id', 'vote_id', 'voter_id', 'vote', 'reason', 'voted_at_ms', 'verdict', 'verdict_reason'];
const endings: Record<string, string[]> = { end_kind: ['ended_at_ms', 'ended_by', 'end_reason'], verdict: ['verdict_reason'] };

const key = (...parts: unknown[]) => JSON.stringify(parts);

function zip(columns: readonly string[], params: readonly unknown[]): Row[] {
  const lists = params as readonly (readonly unknown[])[];
  return (lists[0] as readonly unknown[]).map((_, at) => Object.fromEntries(columns.map((column, n) => [column, lists[n]?.[at]])));
}

/** States come as one text, see upsertCalls. */
const unjoined = (params: readonly unknown[]) => params.map((param) => (typeof param === 'string' ? param.split('\x1e') : param));

const newerHlc = (old: Row, row: Row) => ((old.hlc as number) <= (row.hlc as number) ? row : old);

function newerCase(old: Row, row: Row): Row {
  if ((old.source_offset as number) >= (row.source_offset as number)) return old;
  return { ...row, title: row.title ?? old.title, opened_at_ms: old.opened_at_ms };
}

/** Keeps what is there and adds what is missing; what belongs to an ending comes with it. */
function filledUp(ending: string): (old: Row, row: Row) => Row {
  return (old, row) => {
    const merged = Object.fromEntries(Object.keys(row).map((column) => [column, old[column] ?? row[column]]));
    for (const column of endings[ending] as string[]) merged[column] = old[ending] === null ? row[column] : old[column];
    return merged;
  };
}
