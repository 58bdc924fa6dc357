import type { DamageFinder, FoundDamage } from '@countersign/evidence';

/** A row of the database that is not what the log gives. */
export interface WrongRow {
  table: 'calls' | 'tool_executions';
  partition: number;
  tenant_id: string;
  call_id: string;
  /** Which row, what it says, and what the log says. */
  reason: string;
}

/** The topic that tells what the row should say: of its lane where that is known. */
const TOPIC_OF = { calls: 'tool-call-requested', tool_executions: 'tool-executed' } as const;

/** As a damage of the record: it stops the tenant of the row. */
export function rowDamage({ table, partition, tenant_id, reason }: Omit<WrongRow, 'call_id'>, found_by: DamageFinder): FoundDamage {
  return { kind: 'rows', found_by, topic: TOPIC_OF[table], partition, tenant_id, reason: `${table}, ${reason}` };
}
