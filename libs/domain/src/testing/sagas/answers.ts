import { canonicalText, type Principal } from '@countersign/contracts';
import type { SagaDefinition } from '../../saga/definition/definition.js';
import type { ControlSaga, SagaCommand } from '../../saga/running/commands.js';
import type { SagaEffect } from '../../saga/running/effects.js';
import { type Run, type RunningSaga, runsOf, type Ticket } from '../../saga/running/state.js';
import type { Seeded } from '../lanes/seeded.js';
import type { Arbiter } from './arbiter.js';
import type { RandomDefinition } from './random-definition.js';

const by: Principal = { kind: 'user', id: 'ann', roles: [] };
const ERROR = {
  code: 'VALIDATION_ERROR',
  class: 'validation',
  message: 'no',
  details_json: null,
  retryable: false,
  retry_after_s: null,
} as const;
const SKIP_REASONS = ['circuit_open', 'rate_budget_empty', 'deadline'] as const;
const ACTS = ['pause', 'resume', 'cancel', 'retry', 'done_by_hand', 'accept'] as const;

/** Answers the effects of a saga in place of an orchestrator, the executors and people. */
export class Answers {
  private ids = 0;

  constructor(
    private readonly random: Seeded,
    private readonly arbiter: Arbiter,
    private readonly model: RandomDefinition,
  ) {}

  start(definition: SagaDefinition, deadline_at_ms: number | null, now_ms: number): Extract<SagaCommand, { kind: 'start' }> {
    const latencies = Object.fromEntries([...this.model.tools.keys()].map((name) => [name, 10]));
    const texts = { definition_digest: 'd', definition_json: JSON.stringify(definition), inputs_json: '{}' };
    const who = { saga_id: 'saga', case_id: null, by, authority: null, request_digest: null, source: null };
    return { kind: 'start', now_ms, definition, ...texts, ...who, latencies, deadline_at_ms };
  }

  to(effect: SagaEffect, saga: RunningSaga, now_ms: number): SagaCommand | undefined {
    switch (effect.kind) {
      case 'choose_branch':
        if (this.random.oneIn(12)) return { kind: 'block_failed', now_ms, block_id: effect.block_id, error: ERROR };
        return { kind: 'branch_chosen', now_ms, block_id: effect.block_id, choice: this.random.below(2) - 1 };
      case 'read_list':
        return { kind: 'list_read', now_ms, block_id: effect.block_id, items: this.random.below(4) };
      case 'prepare':
        return this.prepared(effect, saga, now_ms);
      case 'call':
        return this.called(effect.run, now_ms);
      case 'cancel_call':
        this.arbiter.cancel(effect.call_id);
        return undefined;
      case 'follow':
        return this.truthOf(effect, now_ms);
      case 'prepare_undo':
        return this.undoPrepared(effect.run, effect.key_text, now_ms);
      case 'call_undo':
        return saga.is_undo && this.random.oneIn(6) ? this.undoAsks(effect.run, now_ms) : this.undone(effect.run, now_ms);
      case 'await':
        return this.random.oneIn(3) ? this.answered(effect.step_id, now_ms) : undefined;
      case 'timer':
        return effect.at_ms <= now_ms ? { kind: 'timer', now_ms } : undefined;
      case 'ticket':
        return this.arbiter.is_calm ? this.ticketAct(effect.ticket, saga, now_ms) : undefined;
    }
  }

  private prepared(effect: Extract<SagaEffect, { kind: 'prepare' }>, saga: RunningSaga, now_ms: number): SagaCommand {
    const { step_id, name, level, key_text } = effect;
    const tool = this.model.tools.get(name);
    if (!tool) throw new Error(`no tool ${name}`);
    if (this.random.oneIn(25)) return { kind: 'step_unprepared', now_ms, step_id, tool: name, error: ERROR };
    const has_run = (saga.steps.get(step_id)?.runs ?? []).length > 0;
    if (!has_run && this.random.oneIn(15)) return { kind: 'step_skipped', now_ms, step_id, tool: name };
    if (this.random.oneIn(8))
      return {
        kind: 'level_skipped',
        now_ms,
        step_id,
        level,
        tool: name,
        version: '1.0.0',
        reason: SKIP_REASONS[this.random.below(3)] ?? 'deadline',
      };
    const call_id = `call${++this.ids}`;
    const inputs_json = canonicalText({ evaluated: this.random.below(1_000) });
    const what = {
      step_id,
      level,
      call_id,
      tool: name,
      version: '1.0.0',
      key: tool.is_write ? key_text : call_id,
      inputs_json,
      latency_ms: 10,
      repairs: [],
    };
    return { kind: 'step_prepared', now_ms, ...what, ...tool };
  }

  private called(run: Run, now_ms: number): SagaCommand | undefined {
    this.arbiter.submit(run.call_id, run.key, run.inputs_json);
    if (this.random.oneIn(6)) return { kind: this.random.oneIn(2) ? 'approval_opened' : 'approval_closed', now_ms, call_id: run.call_id };
    if (this.random.oneIn(3)) return undefined;
    this.arbiter.run(run.call_id, run.is_write);
    return this.endOf(run, now_ms);
  }

  private endOf({ call_id, key }: Run, now_ms: number): SagaCommand | undefined {
    const call = this.arbiter.calls.get(call_id);
    if (!call?.status) return undefined;
    const ended = { status: call.status, effect: call.effect };
    return {
      kind: 'step_ended',
      now_ms,
      call_id,
      ...ended,
      error: null,
      effect_key: key,
      effect_attempt: call.attempt,
      is_repaired: this.random.oneIn(5),
    };
  }

  private truthOf({ run, call_id, direction }: Extract<SagaEffect, { kind: 'follow' }>, now_ms: number): SagaCommand | undefined {
    const call = this.arbiter.calls.get(call_id);
    if (!call || (!this.arbiter.is_calm && !this.random.oneIn(6))) return undefined;
    return { kind: 'evidence', now_ms, of_call_id: run.call_id, direction, happened: call.truth };
  }

  private undoPrepared(run: Run, key_text: string, now_ms: number): SagaCommand {
    const what = { call_id: `undo${++this.ids}`, key: key_text, tool: 'undo', version: '1.0.0', inputs_json: `{"of":"${run.call_id}"}` };
    return { kind: 'undo_prepared', now_ms, of_call_id: run.call_id, ...what, deadline_at_ms: now_ms + 1_000, reason: 'model' };
  }

  private undoAsks({ undo }: Run, now_ms: number): SagaCommand {
    return { kind: this.random.oneIn(2) ? 'approval_opened' : 'approval_closed', now_ms, call_id: undo?.call_id as string };
  }

  private undone(run: Run, now_ms: number): SagaCommand | undefined {
    const { call_id, key, inputs_json } = run.undo as { call_id: string; key: string; inputs_json: string };
    this.arbiter.submit(call_id, key, inputs_json);
    if (this.random.oneIn(3)) return undefined;
    this.arbiter.run(call_id, true);
    const call = this.arbiter.calls.get(call_id);
    if (!call?.status) return undefined;
    const result = call.status === 'in_doubt' ? 'unconfirmed' : call.effect === 'happened' ? 'executed' : 'failed';
    return { kind: 'undo_ended', now_ms, of_call_id: run.call_id, call_id, result, error: null, duration_ms: 1, retry_count: 0 };
  }

  private answered(step_id: string, now_ms: number): SagaCommand {
    return {
      kind: 'wait_answered',
      now_ms,
      step_id,
      is_refused: this.random.oneIn(4),
      answer_json: null,
      reason: null,
      by,
      command_id: null,
      source: null,
    };
  }

  /** A person acts at random, often invalidly. */
  act(saga: RunningSaga, now_ms: number): SagaCommand {
    const ids = [...saga.steps.keys()];
    const step_id = ids.length === 0 || this.random.oneIn(3) ? null : (ids[this.random.below(ids.length)] as string);
    return this.control(ACTS[this.random.below(ACTS.length)] as ControlSaga['act'], step_id, now_ms);
  }

  private control(act: ControlSaga['act'], step_id: string | null, now_ms: number): SagaCommand {
    return { kind: 'control', now_ms, command_id: `act${++this.ids}`, act, step_id, reason: 'model', by, source: null };
  }

  private ticketAct({ ticket, step_id }: Ticket, saga: RunningSaga, now_ms: number): SagaCommand | undefined {
    if (ticket === 'in_doubt' || ticket === 'late_effect' || ticket === 'overdue_after_pivot') return undefined;
    if (ticket === 'failed_after_pivot' && (step_id === null || !saga.steps.has(step_id))) return this.control('cancel', null, now_ms);
    const acts = ['retry', 'done_by_hand', 'accept', 'done_by_hand'] as const;
    return this.control(acts[this.random.below(acts.length)] as ControlSaga['act'], step_id, now_ms);
  }

  /** Late evidence on any call that has ended. */
  late(saga: RunningSaga, now_ms: number): SagaCommand | undefined {
    const runs = runsOf(saga).filter((run) => this.arbiter.calls.get(run.call_id)?.status);
    const run = runs[this.random.below(Math.max(1, runs.length))];
    if (!run) return undefined;
    const undo = run.undo?.call_id ? this.arbiter.calls.get(run.undo.call_id) : undefined;
    if (undo?.status && this.random.oneIn(2))
      return { kind: 'evidence', now_ms, of_call_id: run.call_id, direction: 'compensate', happened: undo.truth };
    const { truth } = this.arbiter.calls.get(run.call_id) as { truth: boolean };
    return { kind: 'evidence', now_ms, of_call_id: run.call_id, direction: 'forward', happened: truth };
  }
}
