import type { Row, Sql, Statement } from '../store.js';
import { Conditions } from './conditions.js';
import { type Cursor, type Page, pageOf } from './cursor.js';
import type { ViewSet } from './view-set.js';

/** Sagas and their steps. All records of a saga are in one partition of one topic; the first record of each fact counts. */
export const sagaTables: ViewSet = {
  name: 'saga',
  version: 1,
  tables: [
    {
      name: 'sagas',
      columns: `tenant_id text NOT NULL, saga_id text NOT NULL, case_id text, definition text, definition_version text, steps text,
        started_by text, started_at_ms int8, compensating boolean NOT NULL, end_status text, failed_step_id text, end_reason text,
        error text, ended_at_ms int8, source_partition int2 NOT NULL, source_offset int8 NOT NULL`,
      key: ['tenant_id', 'saga_id'],
      indexes: [
        'CREATE INDEX {sagas}_by_time ON {sagas} (tenant_id, started_at_ms, saga_id) WHERE started_at_ms IS NOT NULL',
        'CREATE INDEX {sagas}_by_case ON {sagas} (tenant_id, case_id, started_at_ms, saga_id) WHERE case_id IS NOT NULL',
      ],
    },
    {
      name: 'saga_steps',
      columns: `tenant_id text NOT NULL, saga_id text NOT NULL, step_id text NOT NULL, iteration int4 NOT NULL, attempt int4 NOT NULL,
        tool text, call_id text, status text, error text, ended_at_ms int8, undo_tool text, undo_call_id text, undo_requested_at_ms int8,
        undo_end text, undo_error text, undo_ended_at_ms int8, source_offset int8 NOT NULL`,
      key: ['tenant_id', 'saga_id', 'step_id', 'iteration', 'attempt'],
    },
  ],
};

/** What one or more events report about a saga; null for what they do not report. */
export interface SagaWrite extends Row {
  tenant_id: string;
  saga_id: string;
  case_id: string | null;
  definition: string | null;
  definition_version: string | null;
  /** JSON text of the contract's `saga_step[]`. */
  steps: string | null;
  /** JSON text of a `principal`. */
  started_by: string | null;
  started_at_ms: number | null;
  compensating: boolean;
  end_status: 'completed' | 'compensated' | 'compensation_failed' | 'aborted' | null;
  failed_step_id: string | null;
  end_reason: string | null;
  /** JSON text of a `call_error`. */
  error: string | null;
  ended_at_ms: number | null;
  /** Partition and offset of its first record. */
  source_partition: number;
  source_offset: number;
}

/** One run of a step, and its compensation. */
export interface SagaStepWrite extends Row {
  tenant_id: string;
  saga_id: string;
  step_id: string;
  iteration: number;
  attempt: number;
  tool: string | null;
  call_id: string | null;
  status: string | null;
  error: string | null;
  ended_at_ms: number | null;
  undo_tool: string | null;
  undo_call_id: string | null;
  undo_requested_at_ms: number | null;
  undo_end: 'executed' | 'failed' | null;
  undo_error: string | null;
  undo_ended_at_ms: number | null;
  source_offset: number;
}

const sagaColumns: readonly (keyof SagaWrite & string)[] = [
  ...['tenant_id', 'saga_id', 'case_id', 'definition', 'definition_version', 'steps', 'started_by', 'started_at_ms', 'compensating'],
  ...['end_status', 'failed_step_id', 'end_reason', 'error', 'ended_at_ms', 'source_partition', 'source_offset'],
];

/** At most one row for each saga in one statement. Known values are kept, missing ones are added, and an end is written as a whole. */
export function upsertSagas(rows: readonly SagaWrite[]): Statement {
  const ending = ['failed_step_id', 'end_reason', 'error', 'ended_at_ms'];
  return {
    name: 'views_upsert_sagas',
    text: `INSERT INTO {sagas} AS sagas (${sagaColumns.join(', ')})
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int8[], $9::bool[],
                                $10::text[], $11::text[], $12::text[], $13::text[], $14::int8[], $15::int2[], $16::int8[])
           ON CONFLICT (tenant_id, saga_id) DO UPDATE SET
             ${['case_id', 'definition', 'definition_version', 'steps', 'started_by', 'started_at_ms'].map((c) => `${c} = COALESCE(sagas.${c}, excluded.${c})`).join(', ')},
             compensating = sagas.compensating OR excluded.compensating,
             ${ending.map((c) => `${c} = CASE WHEN sagas.end_status IS NULL THEN excluded.${c} ELSE sagas.${c} END`).join(', ')},
             end_status = COALESCE(sagas.end_status, excluded.end_status),
             source_partition = sagas.source_partition, source_offset = LEAST(sagas.source_offset, excluded.source_offset)`,
    params: sagaColumns.map((column) => rows.map((row) => row[column])),
  };
}

const stepColumns: readonly (keyof SagaStepWrite & string)[] = [
  ...['tenant_id', 'saga_id', 'step_id', 'iteration', 'attempt', 'tool', 'call_id', 'status', 'error', 'ended_at_ms'],
  ...['undo_tool', 'undo_call_id', 'undo_requested_at_ms', 'undo_end', 'undo_error', 'undo_ended_at_ms', 'source_offset'],
];

/** At most one row for each run of a step in one statement. */
export function upsertSagaSteps(rows: readonly SagaStepWrite[]): Statement {
  const filled = ['tool', 'call_id', 'undo_tool', 'undo_call_id', 'undo_requested_at_ms'];
  const whole = (flag: string, columns: readonly string[]) =>
    [...columns, flag].map((c) => `${c} = CASE WHEN saga_steps.${flag} IS NULL THEN excluded.${c} ELSE saga_steps.${c} END`).join(', ');
  return {
    name: 'views_upsert_saga_steps',
    text: `INSERT INTO {saga_steps} AS saga_steps (${stepColumns.join(', ')})
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int4[], $5::int4[], $6::text[], $7::text[], $8::text[], $9::text[],
                                $10::int8[], $11::text[], $12::text[], $13::int8[], $14::text[], $15::text[], $16::int8[], $17::int8[])
           ON CONFLICT (tenant_id, saga_id, step_id, iteration, attempt) DO UPDATE SET
             ${filled.map((c) => `${c} = COALESCE(saga_steps.${c}, excluded.${c})`).join(', ')},
             ${whole('status', ['error', 'ended_at_ms'])},
             ${whole('undo_end', ['undo_error', 'undo_ended_at_ms'])},
             source_offset = LEAST(saga_steps.source_offset, excluded.source_offset)`,
    params: stepColumns.map((column) => rows.map((row) => row[column])),
  };
}

export type SagaStatus = 'running' | 'compensating' | 'completed' | 'compensated' | 'compensation_failed' | 'aborted';

export interface SagaRow extends SagaWrite {
  status: SagaStatus;
}

const STATUS = `COALESCE(end_status, CASE WHEN compensating THEN 'compensating' ELSE 'running' END) AS status`;

/** The saga and its steps in the order of their records; undefined if this tenant has no saga of that id. */
export async function readSaga(
  sql: Sql,
  tenant_id: string,
  saga_id: string,
): Promise<{ saga: SagaRow; steps: SagaStepWrite[] } | undefined> {
  const [saga] = await sql.query<SagaRow>({
    name: 'views_read_saga',
    text: `SELECT *, ${STATUS} FROM sagas WHERE tenant_id = $1 AND saga_id = $2 AND started_at_ms IS NOT NULL`,
    params: [tenant_id, saga_id],
  });
  if (!saga) return undefined;
  const steps = await sql.query<SagaStepWrite>({
    name: 'views_read_saga_steps',
    text: 'SELECT * FROM saga_steps WHERE tenant_id = $1 AND saga_id = $2 ORDER BY source_offset, step_id, iteration, attempt',
    params: [tenant_id, saga_id],
  });
  return { saga, steps };
}

export interface SagaQuery {
  tenant_id: string;
  case_id?: string;
  status?: SagaStatus;
  /** 1 to 500. */
  limit: number;
  after?: Cursor;
}

/** Newest first. */
export async function listSagas(sql: Sql, query: SagaQuery): Promise<Page<SagaRow>> {
  const conditions = new Conditions().equal('tenant_id', query.tenant_id).add('started_at_ms IS NOT NULL').equal('case_id', query.case_id);
  conditions.equal('status', query.status);
  if (query.after) conditions.add('(started_at_ms, saga_id) < (?::int8, ?)', query.after.at, query.after.id);
  const limit = conditions.param(query.limit + 1);
  const rows = await sql.query<SagaRow>({
    text: `SELECT * FROM (SELECT *, ${STATUS} FROM sagas) AS found WHERE ${conditions.where}
           ORDER BY started_at_ms DESC, saga_id DESC LIMIT ${limit}`,
    params: conditions.params,
  });
  return pageOf(rows, query.limit, (row) => ({ at: row.started_at_ms as number, id: row.saga_id }));
}
