import { by } from './sample-facts.js';
import { SampleHistory } from './sample-history.js';

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
      source: null,
      deadline_at_ms: null,
      wait_max_ms: null,
      estimates: [],
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
    const ended = { call_id: of_call_id, tool: 'book', level: 0, effect: null, effect_key: null, effect_attempt: 0, repaired: false, ended_at_ms: this.hlc };
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
