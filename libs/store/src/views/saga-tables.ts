import type { ViewSet } from './view-set.js';

/**
 * Sagas with their steps, waits and tickets, and the answers to requests about them. All records of a saga are in one partition of one
 * topic, so an offset is the place of a fact in its saga.
 */
export const sagaTables: ViewSet = {
  name: 'saga',
  version: 3,
  readable_since: 3,
  tables: [
    {
      name: 'sagas',
      columns: `tenant_id text NOT NULL, saga_id text NOT NULL, case_id text, definition text, definition_version text,
        definition_digest text, questions text, answer_schemas text, steps text, started_by text, on_behalf_of text, started_at_ms int8, deadline_at_ms int8,
        wait_max_ms int8, request_digest text, advanced boolean NOT NULL, compensating boolean NOT NULL, paused boolean NOT NULL,
        paused_at_ms int8, paused_offset int8, undoes int4, end_status text, failed_step_id text, end_reason text, error text, ended_at_ms int8,
        source_partition int2 NOT NULL, source_offset int8 NOT NULL`,
      key: ['tenant_id', 'saga_id'],
      indexes: [
        'CREATE INDEX {sagas}_by_time ON {sagas} (tenant_id, started_at_ms, saga_id) WHERE started_at_ms IS NOT NULL',
        'CREATE INDEX {sagas}_by_case ON {sagas} (tenant_id, case_id, started_at_ms, saga_id) WHERE case_id IS NOT NULL',
        'CREATE INDEX {sagas}_open_undos ON {sagas} (tenant_id) WHERE end_status IS NULL AND undoes > 0',
        'CREATE INDEX {sagas}_open ON {sagas} (tenant_id, started_at_ms, saga_id) WHERE end_status IS NULL',
      ],
    },
    {
      name: 'saga_steps',
      columns: `tenant_id text NOT NULL, saga_id text NOT NULL, step_id text NOT NULL, iteration int4 NOT NULL, attempt int4 NOT NULL,
        level int2, tool text, version text, call_id text, requested_at_ms int8, requested_offset int8, deadline_at_ms int8,
        is_irreversible boolean, compensation_tool text, repairs text, cancel_requested boolean NOT NULL, status text, effect text, error text, ended_at_ms int8,
        end_offset int8, is_late boolean, evidence_offset int8, undo_tool text, undo_version text, undo_call_id text,
        undo_requested_at_ms int8, undo_state text, undo_error text, undo_ended_at_ms int8, undo_offset int8,
        source_offset int8 NOT NULL`,
      key: ['tenant_id', 'saga_id', 'step_id', 'iteration', 'attempt'],
    },
    {
      name: 'saga_waits',
      columns: `tenant_id text NOT NULL, saga_id text NOT NULL, step_id text NOT NULL, opened_offset int8 NOT NULL, wait text NOT NULL,
        event_name text, until_ms int8 NOT NULL, opened_at_ms int8 NOT NULL, ended_as text, ended_by text, end_reason text,
        ended_at_ms int8`,
      key: ['tenant_id', 'saga_id', 'step_id', 'opened_offset'],
    },
    {
      name: 'saga_tickets',
      columns: `tenant_id text NOT NULL, saga_id text NOT NULL, opened_offset int8 NOT NULL, ticket text NOT NULL, step_id text,
        call_id text, opened_at_ms int8 NOT NULL, closed_as text, closed_at_ms int8`,
      key: ['tenant_id', 'saga_id', 'opened_offset'],
      indexes: [
        'CREATE INDEX {saga_tickets}_by_time ON {saga_tickets} (tenant_id, opened_at_ms, saga_id, opened_offset)',
        'CREATE INDEX {saga_tickets}_open ON {saga_tickets} (tenant_id, opened_at_ms, saga_id, opened_offset) WHERE closed_at_ms IS NULL',
      ],
    },
    {
      name: 'saga_late_effects',
      columns: 'tenant_id text NOT NULL, saga_id text NOT NULL, call_id text NOT NULL, step_id text NOT NULL',
      key: ['tenant_id', 'saga_id', 'call_id'],
    },
    {
      name: 'saga_skips',
      columns: `tenant_id text NOT NULL, saga_id text NOT NULL, step_id text NOT NULL, source_offset int8 NOT NULL, level int2 NOT NULL,
        tool text NOT NULL, version text NOT NULL, reason text NOT NULL, skipped_at_ms int8 NOT NULL`,
      key: ['tenant_id', 'saga_id', 'source_offset'],
    },
    {
      name: 'saga_answers',
      columns: `tenant_id text NOT NULL, command_id text NOT NULL, saga_id text NOT NULL, outcome text NOT NULL, message text,
        source_offset int8 NOT NULL`,
      key: ['tenant_id', 'command_id'],
    },
  ],
};
