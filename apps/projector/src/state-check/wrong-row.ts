import type { DamageFinder, FoundDamage } from '@countersign/evidence';

/** A database row that differs from the log. */
export interface WrongRow {
  table: 'calls' | 'tool_executions' | 'cases';
  partition: number;
  tenant_id: string;
  call_id: string;
  /** The row, its value, and the value from the log. */
  reason: string;
}

/** A wrong row that may belong to no call. */
export type NamedRow = Omit<WrongRow, 'call_id'>;

/** The topic that determines each table, by its name in the lane if the lane is known. */
const TOPIC_OF = { calls: 'tool-call-requested', tool_executions: 'tool-executed', cases: 'configuration-changed' } as const;

/** Converts it to a damage of the record: it stops the tenant of the row. */
export function rowDamage({ table, partition, tenant_id, reason }: NamedRow, found_by: DamageFinder): FoundDamage {
  return { kind: 'rows', found_by, topic: TOPIC_OF[table], partition, tenant_id, reason: `${table}, ${reason}` };
}
