import type { Statement } from '../store.js';
import { columnsOf, type Named, place, type Types, takenIf } from './saga-columns.js';
import type {
  SagaAdvance,
  SagaAnswerWrite,
  SagaLateEffect,
  SagaSkipWrite,
  SagaTicketClosing,
  SagaTicketWrite,
  SagaWaitEnd,
  SagaWaitWrite,
  SagaWrite,
} from './saga-rows.js';

const sagaTypes: Types<Named<SagaWrite>> = {
  ...place,
  ...{
    case_id: 'text',
    definition: 'text',
    definition_version: 'text',
    definition_digest: 'text',
    questions: 'text',
    answer_schemas: 'text',
    steps: 'text',
  },
  ...{ started_by: 'text', on_behalf_of: 'text', started_at_ms: 'int8', deadline_at_ms: 'int8', wait_max_ms: 'int8' },
  ...{
    request_digest: 'text',
    undoes: 'int4',
    advanced: 'bool',
    compensating: 'bool',
    paused: 'bool',
    paused_at_ms: 'int8',
    paused_offset: 'int8',
  },
  ...{ end_status: 'text', failed_step_id: 'text', end_reason: 'text', error: 'text', ended_at_ms: 'int8' },
  ...{ source_partition: 'int2', source_offset: 'int8' },
};

const NEWER_PAUSE = 'excluded.paused_offset > COALESCE(sagas.paused_offset, -1)';
const PAUSE_COLUMNS = ['paused', 'paused_at_ms', 'paused_offset'];
const END_COLUMNS = ['end_status', 'failed_step_id', 'end_reason', 'error', 'ended_at_ms'];

/** At most one row for each saga in one statement. The first start and the first end count, and the newest pause. */
export function upsertSagas(rows: readonly SagaWrite[]): Statement {
  const { names, unnest, params } = columnsOf(sagaTypes, rows);
  const start = [
    ...[
      'definition',
      'definition_version',
      'definition_digest',
      'questions',
      'answer_schemas',
      'steps',
      'started_by',
      'on_behalf_of',
      'started_at_ms',
    ],
    ...['deadline_at_ms', 'wait_max_ms', 'request_digest', 'undoes'],
  ];
  return {
    name: 'views_upsert_sagas',
    text: `INSERT INTO {sagas} AS sagas (${names}) SELECT * FROM ${unnest}
           ON CONFLICT (tenant_id, saga_id) DO UPDATE SET
             case_id = COALESCE(sagas.case_id, excluded.case_id),
             advanced = sagas.advanced OR excluded.advanced, compensating = sagas.compensating OR excluded.compensating,
             ${takenIf('sagas', 'sagas.started_at_ms IS NULL', start)},
             ${takenIf('sagas', NEWER_PAUSE, PAUSE_COLUMNS)}, ${takenIf('sagas', 'sagas.end_status IS NULL', END_COLUMNS)},
             source_partition = sagas.source_partition, source_offset = LEAST(sagas.source_offset, excluded.source_offset)`,
    params,
  };
}

const advanceTypes: Types<Named<SagaAdvance>> = {
  ...place,
  ...{ case_id: 'text', advanced: 'bool', compensating: 'bool', paused: 'bool', paused_at_ms: 'int8', paused_offset: 'int8' },
  ...{ end_status: 'text', failed_step_id: 'text', end_reason: 'text', error: 'text', ended_at_ms: 'int8' },
  ...{ source_partition: 'int2', source_offset: 'int8' },
};

/** What happened to sagas whose start is in an earlier write; writes only rows that it changes. At most one row for each saga. */
export function advanceSagas(rows: readonly SagaAdvance[]): Statement {
  const { names, unnest, params } = columnsOf(advanceTypes, rows);
  return {
    name: 'views_advance_sagas',
    text: `INSERT INTO {sagas} AS sagas (${names}) SELECT * FROM ${unnest}
           ON CONFLICT (tenant_id, saga_id) DO UPDATE SET
             advanced = true, compensating = sagas.compensating OR excluded.compensating,
             ${takenIf('sagas', NEWER_PAUSE, PAUSE_COLUMNS)}, ${takenIf('sagas', 'sagas.end_status IS NULL', END_COLUMNS)},
             source_offset = LEAST(sagas.source_offset, excluded.source_offset)
           WHERE NOT sagas.advanced OR excluded.compensating > sagas.compensating OR ${NEWER_PAUSE}
             OR (sagas.end_status IS NULL AND excluded.end_status IS NOT NULL) OR excluded.source_offset < sagas.source_offset`,
    params,
  };
}

const waitTypes: Types<Named<SagaWaitWrite>> = {
  ...place,
  ...{ step_id: 'text', opened_offset: 'int8', wait: 'text', event_name: 'text', until_ms: 'int8', opened_at_ms: 'int8' },
};

export function insertSagaWaits(rows: readonly SagaWaitWrite[]): Statement {
  const { names, unnest, params } = columnsOf(waitTypes, rows);
  return {
    name: 'views_insert_saga_waits',
    text: `INSERT INTO {saga_waits} (${names}) SELECT * FROM ${unnest} ON CONFLICT DO NOTHING`,
    params,
  };
}

const waitEndTypes: Types<Named<SagaWaitEnd>> = {
  ...place,
  ...{ step_id: 'text', offset: 'int8', ended_as: 'text', ended_by: 'text', end_reason: 'text', ended_at_ms: 'int8' },
};

/** Ends waits by their first end. */
export function endSagaWaits(rows: readonly SagaWaitEnd[]): Statement {
  const { unnest, params } = columnsOf(waitEndTypes, rows);
  return {
    name: 'views_end_saga_waits',
    text: `UPDATE {saga_waits} AS wait SET ended_as = e.ended_as, ended_by = e.ended_by, end_reason = e.end_reason, ended_at_ms = e.ended_at_ms
           FROM (SELECT DISTINCT ON (w.tenant_id, w.saga_id, w.step_id, w.opened_offset) w.opened_offset, e.*
                 FROM ${unnest} AS e(tenant_id, saga_id, step_id, at_offset, ended_as, ended_by, end_reason, ended_at_ms)
                 JOIN {saga_waits} AS w USING (tenant_id, saga_id, step_id)
                 WHERE w.ended_as IS NULL AND w.opened_offset < e.at_offset
                 ORDER BY w.tenant_id, w.saga_id, w.step_id, w.opened_offset, e.at_offset) AS e
           WHERE wait.tenant_id = e.tenant_id AND wait.saga_id = e.saga_id AND wait.step_id = e.step_id
             AND wait.opened_offset = e.opened_offset`,
    params,
  };
}

const ticketTypes: Types<Named<SagaTicketWrite>> = {
  ...place,
  ...{ opened_offset: 'int8', ticket: 'text', step_id: 'text', call_id: 'text', opened_at_ms: 'int8' },
};

export function insertSagaTickets(rows: readonly SagaTicketWrite[]): Statement {
  const { names, unnest, params } = columnsOf(ticketTypes, rows);
  return {
    name: 'views_insert_saga_tickets',
    text: `INSERT INTO {saga_tickets} (${names}) SELECT * FROM ${unnest} ON CONFLICT DO NOTHING`,
    params,
  };
}

const closingTypes: Types<Named<SagaTicketClosing>> = {
  ...place,
  ...{ offset: 'int8', closed_as: 'text', step_id: 'text', call_id: 'text', closed_at_ms: 'int8' },
};

/** Which tickets a fact closes, as `foldControl` and `evolveSaga` of the domain. */
const CLOSES = `CASE c.closed_as WHEN 'evidence' THEN t.ticket = 'in_doubt' AND t.call_id = c.call_id
  WHEN 'ended' THEN t.ticket <> 'late_effect'
  ELSE CASE t.ticket WHEN 'in_doubt' THEN false
    WHEN 'late_effect' THEN c.closed_as IN ('accept', 'done_by_hand') AND t.step_id = c.step_id
    ELSE c.step_id IS NULL OR t.step_id = c.step_id END END`;

/** Closes tickets by the first fact that does. */
export function closeSagaTickets(rows: readonly SagaTicketClosing[]): Statement {
  const { unnest, params } = columnsOf(closingTypes, rows);
  return {
    name: 'views_close_saga_tickets',
    text: `UPDATE {saga_tickets} AS ticket SET closed_as = c.closed_as, closed_at_ms = c.closed_at_ms
           FROM (SELECT DISTINCT ON (t.tenant_id, t.saga_id, t.opened_offset) t.tenant_id, t.saga_id, t.opened_offset, c.closed_as, c.closed_at_ms
                 FROM ${unnest} AS c(tenant_id, saga_id, at_offset, closed_as, step_id, call_id, closed_at_ms)
                 JOIN {saga_tickets} AS t ON t.tenant_id = c.tenant_id AND t.saga_id = c.saga_id
                 WHERE t.closed_at_ms IS NULL AND t.opened_offset < c.at_offset AND (${CLOSES})
                 ORDER BY t.tenant_id, t.saga_id, t.opened_offset, c.at_offset) AS c
           WHERE ticket.tenant_id = c.tenant_id AND ticket.saga_id = c.saga_id AND ticket.opened_offset = c.opened_offset`,
    params,
  };
}

const lateTypes: Types<Named<SagaLateEffect>> = { ...place, ...{ call_id: 'text', step_id: 'text' } };

export function insertSagaLateEffects(rows: readonly SagaLateEffect[]): Statement {
  const { names, unnest, params } = columnsOf(lateTypes, rows);
  return {
    name: 'views_insert_saga_late_effects',
    text: `INSERT INTO {saga_late_effects} (${names}) SELECT * FROM ${unnest} ON CONFLICT DO NOTHING`,
    params,
  };
}

const skipTypes: Types<Named<SagaSkipWrite>> = {
  ...place,
  ...{ step_id: 'text', source_offset: 'int8', level: 'int2', tool: 'text', version: 'text', reason: 'text', skipped_at_ms: 'int8' },
};

export function insertSagaSkips(rows: readonly SagaSkipWrite[]): Statement {
  const { names, unnest, params } = columnsOf(skipTypes, rows);
  return {
    name: 'views_insert_saga_skips',
    text: `INSERT INTO {saga_skips} (${names}) SELECT * FROM ${unnest} ON CONFLICT DO NOTHING`,
    params,
  };
}

const answerTypes: Types<Named<SagaAnswerWrite>> = {
  ...{ tenant_id: 'text', command_id: 'text', saga_id: 'text', outcome: 'text', message: 'text', source_offset: 'int8' },
};

/** At most one row for each request in one statement; its first answer counts. */
export function insertSagaAnswers(rows: readonly SagaAnswerWrite[]): Statement {
  const { names, unnest, params } = columnsOf(answerTypes, rows);
  return {
    name: 'views_insert_saga_answers',
    text: `INSERT INTO {saga_answers} (${names}) SELECT * FROM ${unnest} ON CONFLICT DO NOTHING`,
    params,
  };
}
