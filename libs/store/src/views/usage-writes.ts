import type { Statement } from '../store.js';

/** The measures that a call adds: `usageMeasures` (libs/domain). */
const MEASURES = [
  'calls',
  'executed',
  'succeeded',
  'failed',
  'denied',
  'expired',
  'cancelled',
  'in_doubt',
  'resolved',
  'deduplicated',
  'cached',
  'retried',
  'retried_succeeded',
  'asked_again',
  'asked_again_succeeded',
  'mapping_faults',
  'mapping_repaired',
  'violations',
  'misclassified',
  'flagged',
  'timed',
  'duration_us',
  'cost_micros',
] as const;

/** The summed columns of each table. */
export const usageCounts = {
  usage_hours: MEASURES,
  usage_latency: ['calls'],
  usage_replays: ['duplicates', 'compared', 'equal_answers'],
  usage_lines: MEASURES,
} as const;

export type UsageTable = keyof typeof usageCounts;

const keys = {
  usage_hours: { tenant_id: 'text', hour: 'int4', tool: 'text', version: 'text', agent: 'text', partition: 'int2' },
  usage_latency: { tenant_id: 'text', hour: 'int4', tool: 'text', version: 'text', bucket: 'int4', partition: 'int2' },
  usage_replays: { tenant_id: 'text', hour: 'int4', tool: 'text', version: 'text', partition: 'int2' },
  usage_lines: {
    tenant_id: 'text',
    day: 'int4',
    agent: 'text',
    case_id: 'text',
    tool: 'text',
    corrects: 'int4',
    partition: 'int2',
  },
} as const satisfies Record<UsageTable, Record<string, string>>;

/** One row: the values of its key columns in order, and the amounts to add. */
export interface UsageRow {
  key: readonly (string | number)[];
  add: readonly number[];
}

/** Adds to existing rows, and inserts missing ones; at most one row for each key in one statement. A column that is new is null at first. */
export function addToUsage(table: UsageTable, rows: readonly UsageRow[]): Statement {
  const key = Object.entries(keys[table]);
  const counts = usageCounts[table];
  const names = [...key.map(([name]) => name), ...counts];
  const types = [...key.map(([, type]) => type), ...counts.map(() => 'int8')];
  return {
    name: `views_add_to_${table}`,
    text: `INSERT INTO {${table}} AS u (${names.join(', ')})
           SELECT * FROM unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')})
           ON CONFLICT (${key.map(([name]) => name).join(', ')}) DO UPDATE SET
             ${counts.map((name) => `${name} = COALESCE(u.${name}, 0) + excluded.${name}`).join(', ')}`,
    params: [...key.map((_, at) => rows.map((row) => row.key[at])), ...counts.map((_, at) => rows.map((row) => row.add[at]))],
  };
}

/** Deletes those of the rows whose counts are all zero. */
export function dropEmptyUsage(table: UsageTable, rows: readonly Pick<UsageRow, 'key'>[]): Statement {
  const key = Object.entries(keys[table]);
  const names = key.map(([name]) => name).join(', ');
  return {
    name: `views_drop_empty_${table}`,
    text: `DELETE FROM {${table}} u USING unnest(${key.map(([, type], at) => `$${at + 1}::${type}[]`).join(', ')}) AS gone (${names})
           WHERE ${key.map(([name]) => `u.${name} = gone.${name}`).join(' AND ')}
             AND ${usageCounts[table].map((name) => `u.${name} = 0`).join(' AND ')}`,
    params: key.map((_, at) => rows.map((row) => row.key[at])),
  };
}

/** The approval mode that a call should have had, as corrected by an operator. */
export interface CorrectionWrite {
  tenant_id: string;
  call_id: string;
  hour: number;
  tool: string;
  version: string;
  agent: string;
  mode_effective: string;
  mode_observed: string | null;
  mode_corrected: string;
  reason: string | null;
  corrected_by: string;
  corrected_at_ms: number;
  source_offset: number;
}

const CORRECTION =
  'tenant_id, call_id, hour, tool, version, agent, mode_effective, mode_observed, mode_corrected, reason, corrected_by, corrected_at_ms, source_offset';

/** The newest correction of a call counts. At most one row for each call in one statement. */
export function upsertCorrections(rows: readonly CorrectionWrite[]): Statement {
  const columns = CORRECTION.split(', ') as (keyof CorrectionWrite)[];
  const types = 'text text int4 text text text text text text text text int8 int8'.split(' ');
  return {
    name: 'views_upsert_corrections',
    text: `INSERT INTO {usage_corrections} AS u (${CORRECTION})
           SELECT * FROM unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')})
           ON CONFLICT (tenant_id, call_id) DO UPDATE SET
             ${columns
               .slice(2)
               .map((name) => `${name} = excluded.${name}`)
               .join(', ')}
           WHERE u.source_offset < excluded.source_offset`,
    params: columns.map((name) => rows.map((row) => row[name])),
  };
}
