import type { EventMap } from '@countersign/contracts';
import { by } from './sample-facts.js';
import { SampleHistory } from './sample-history.js';

type SagaFrame = Pick<EventMap['saga_ended'], 'meta' | 'saga_id' | 'case_id'>;

/** Also writes sagas and refusals. */
export class SampleRecord extends SampleHistory {
  /** A saga of two steps: the second fails, the first is undone (or its undo fails). */
  saga(case_id: string | null, undone: boolean): string {
    const saga_id = `saga-${this.uuid('3333', ++this.calls)}`;
    const own = () => ({ meta: this.meta(null), saga_id, case_id });
    const of_call_id = `0-${this.uuid('0000', 1)}`;
    const steps = ['book', 'pay'].map((step_id) => ({ step_id, tool: step_id, version: null, compensation_tool: 'unbook' }));
    const whole = {
      definition_digest: null,
      definition_json: null,
      authority: null,
      request_digest: null,
      ...{ source: null, deadline_at_ms: null, wait_max_ms: null },
      estimates: [],
      undoes: [],
    };
    const started = { definition: 'trip', definition_version: '1', steps, inputs_json: '{}', by, started_at_ms: this.hlc };
    this.put('compensation', 'saga_started', { ...own(), ...started, ...whole });
    const error = {
      code: 'PROVIDER_ERROR',
      class: 'server',
      message: 'no',
      details_json: null,
      retryable: false,
      retry_after_s: null,
    } as const;
    const run = (step_id: string) => ({ ...own(), step_id, iteration: 1, attempt: 1 });
    this.waited(own(), of_call_id);
    const ended = {
      call_id: of_call_id,
      tool: 'book',
      level: 0,
      effect: null,
      effect_key: null,
      effect_attempt: 0,
      repaired: false,
      ended_at_ms: this.hlc,
    };
    this.put('compensation', 'saga_step_ended', { ...run('book'), ...ended, status: 'succeeded', error: null });
    this.put('compensation', 'saga_step_ended', { ...run('pay'), ...ended, tool: 'pay', status: 'failed', error });
    const undo = { call_id: `0-${this.uuid('0000', 2)}`, of_call_id, tool: 'unbook', version: '1.0.0' };
    const requested = { key: null, inputs_json: null, deadline_at_ms: null, reason: 'pay failed', requested_at_ms: this.hlc };
    this.put('compensation', 'compensation_requested', { ...run('book'), ...undo, ...requested });
    if (undone)
      this.put('compensation', 'compensation_executed', {
        ...run('book'),
        ...undo,
        ...{ duration_ms: 3, retry_count: 1, executed_at_ms: this.hlc },
      });
    else
      this.put('compensation', 'compensation_failed', {
        ...run('book'),
        ...undo,
        failure: 'failed',
        error,
        retry_count: 3,
        failed_at_ms: this.hlc,
      });
    if (!undone) this.accepted(own(), of_call_id);
    const status = undone ? 'compensated' : 'compensation_failed';
    this.put('compensation', 'saga_ended', {
      ...own(),
      status,
      failed_step_id: 'pay',
      pivot_step_id: null,
      error,
      reason: null,
      ended_at_ms: this.hlc,
    });
    return saga_id;
  }

  /** A step is requested at its second level, while a person is asked. */
  private waited(own: SagaFrame, call_id: string): void {
    const at = { ...own, step_id: 'book', iteration: 1 };
    const tool = { tool: 'book', version: '1.0.0' };
    this.put('compensation', 'saga_level_skipped', {
      ...{ ...at, meta: this.meta(null), attempt: 0, level: 0, ...tool, reason: 'circuit_open', skipped_at_ms: this.hlc },
    });
    const traits = {
      is_write: true,
      is_irreversible: false,
      resources: [],
      compensation_tool: 'unbook',
      deadline_at_ms: null,
      latency_ms: 1,
      repairs: [],
    };
    const call = { level: 1, call_id, ...tool, key: 'k', inputs_json: '{}', ...traits, requested_at_ms: this.hlc };
    this.put('compensation', 'saga_step_requested', { ...at, meta: this.meta(null), attempt: 1, ...call });
    const wait = { ...own, step_id: 'ask' };
    const opened = { wait: 'approval', event_name: null, until_ms: this.hlc, opened_at_ms: this.hlc } as const;
    this.put('compensation', 'saga_wait_opened', { ...wait, meta: this.meta(null), ...opened });
    const ended = { ended_as: 'answered', answer_json: null, reason: null, by, command_id: this.uuid('4444', 1), source: null } as const;
    this.put('compensation', 'saga_wait_ended', { ...wait, meta: this.meta(null), ...ended, ended_at_ms: this.hlc });
  }

  /** A failed compensation has a ticket; it is retried once, then accepted. */
  private accepted(own: SagaFrame, of_call_id: string): void {
    const ticket = { ticket: 'compensation_failed', step_id: 'book', call_id: of_call_id } as const;
    for (const act of ['retry', 'accept'] as const) {
      this.put('compensation', 'saga_ticket_opened', { ...own, meta: this.meta(null), ...ticket, opened_at_ms: this.hlc });
      const command_id = this.uuid('4444', act === 'retry' ? 2 : 3);
      const control = { act, step_id: 'book', reason: null, by, command_id, source: null, controlled_at_ms: this.hlc };
      this.put('compensation', 'saga_controlled', { ...own, meta: this.meta(null), ...control });
    }
    const evidence = { step_id: 'book', direction: 'forward', call_id: of_call_id, happened: true, recorded_at_ms: this.hlc } as const;
    this.put('compensation', 'saga_evidence_recorded', { ...own, meta: this.meta(null), ...evidence });
  }

  /** An operator corrects the approval mode of a call. */
  correct(call_id: string, mode_corrected: 'network' | 'delegated'): void {
    const about = { call_id, tool: 'create_order', version: '1.0.0', agent: by.id, answered_at_ms: 1 };
    const modes = { mode_effective: 'local_write', mode_observed: null, mode_corrected } as const;
    this.put('operator-command', 'approval_mode_corrected', { meta: this.meta(null), ...about, ...modes, reason: mode_corrected, by });
  }

  /** Records a refusal on a call of any partition. */
  refuse(call_id: string): void {
    const recorded = { kind: 'resolution_refused', detail: 'not entitled', principal: by, recorded_at_ms: this.hlc, times: 1 };
    this.put('security-event', 'security_event_recorded', { meta: { ...this.meta(call_id), partition: 3 }, ...recorded });
  }
}
