import type { Principal, SagaUndoneEffect } from '@countersign/contracts';
import type { Block, StepBlock } from '../../saga/definition/definition.js';
import type { SagaCommand } from '../../saga/running/commands.js';
import { decideSaga } from '../../saga/running/decide.js';
import { undoDefinition } from '../../saga/running/earlier-effects.js';
import { type SagaEffect, sagaEffectsOf } from '../../saga/running/effects.js';
import { evolveSaga } from '../../saga/running/evolve.js';
import type { SagaFact } from '../../saga/running/facts.js';
import type { RunningSaga, SagaState } from '../../saga/running/state.js';

export const by: Principal = { kind: 'user', id: 'ann', roles: [] };
type Without<T> = T extends unknown ? Omit<T, 'now_ms'> : never;

export const step = (name: string, more: Partial<StepBlock> = {}): StepBlock => ({
  ...{ kind: 'step', name, use: { tool: name, version: '1.0.0', inputs: {} } },
  ...more,
});
export const sequence = (...blocks: Block[]): Block => ({ kind: 'sequence', blocks });

/** A saga as a list of commands; `types` are the records of the last one. */
export class Story {
  state: SagaState;
  types: string[] = [];
  message = '';
  now_ms = 0;
  private ids = 0;
  private before: SagaState;
  private facts: readonly SagaFact[] = [];

  constructor(root: Block, deadline_at_ms: number | null = null, undoes: readonly SagaUndoneEffect[] = []) {
    const definition = { name: 'd', version: '1', wait_max_ms: 1_000, root };
    const texts = { definition_digest: '', definition_json: JSON.stringify(definition), inputs_json: '{}' };
    const who = { saga_id: 's', case_id: null, by, authority: null, request_digest: null, source: null };
    this.when({ kind: 'start', definition, ...texts, ...who, latencies: { a: 100, b: 300 }, deadline_at_ms, undoes });
  }

  /** A saga that undoes these earlier calls. */
  static undoing(undoes: readonly SagaUndoneEffect[]): Story {
    return new Story(undoDefinition(undoes).root, null, undoes);
  }

  get saga(): RunningSaga {
    return this.state as RunningSaga;
  }

  when(command: Without<SagaCommand>): this {
    const decision = decideSaga({ ...command, now_ms: this.now_ms } as SagaCommand, this.state);
    const facts = decision.kind === 'recorded' ? decision.facts : [];
    this.message = decision.kind === 'refused' ? decision.message : '';
    this.types = facts.map(({ event_type }) => event_type);
    this.before = this.state;
    this.facts = facts;
    this.state = facts.reduce(evolveSaga, this.state);
    return this;
  }

  /** The process dies: only so many records of the last command were written. */
  cutAfter(records: number): this {
    this.state = this.facts.slice(0, records).reduce(evolveSaga, this.before);
    return this;
  }

  /** The due undo of a step. */
  undoEffect(step_id: string): Extract<SagaEffect, { kind: 'prepare_undo' }> {
    const found = sagaEffectsOf(this.saga).find((effect) => effect.kind === 'prepare_undo' && effect.run.step_id === step_id);
    if (found?.kind !== 'prepare_undo') throw new Error(`the undo of ${step_id} is not due`);
    return found;
  }

  asks(step_id: string, more: object = {}, level = 0): this {
    const what = { tool: step_id, version: '1.0.0', key: `key ${step_id} ${level}`, inputs_json: '{"n":1}', latency_ms: 100, repairs: [] };
    const traits = { is_write: true, is_irreversible: false, resources: ['r'], compensation_tool: 'undo' };
    return this.when({ kind: 'step_prepared', step_id, level, call_id: `${step_id}-${++this.ids}`, ...what, ...traits, ...more });
  }

  ends(
    step_id: string,
    status: 'succeeded' | 'failed' | 'denied' | 'in_doubt' | 'cancelled' = 'succeeded',
    effect: 'none' | 'happened' | 'unknown' = status === 'succeeded' ? 'happened' : 'none',
  ): this {
    return this.when({
      kind: 'step_ended',
      call_id: this.call(step_id),
      status,
      effect,
      error: null,
      effect_key: `key ${step_id}`,
      effect_attempt: 1,
      is_repaired: false,
    });
  }

  /** The call of a read ends, and its inputs are repaired. */
  repaired(step_id: string, status: 'failed' | 'succeeded'): this {
    const ended = { kind: 'step_ended', call_id: this.call(step_id), status, effect: 'none', error: null } as const;
    return this.when({ ...ended, effect_key: `key ${step_id}`, effect_attempt: 1, is_repaired: true });
  }

  /** The time of the next command, ms. */
  at(now_ms: number): this {
    this.now_ms = now_ms;
    return this;
  }

  ran(step_id: string, more: object = {}): this {
    return this.asks(step_id, more).ends(step_id);
  }

  undone(step_id: string, result: 'executed' | 'failed' | 'unconfirmed' = 'executed'): this {
    return this.requestsUndo(step_id).endsUndo(step_id, result);
  }

  /** The call that undoes a step. */
  undoCall(step_id: string): string {
    return this.saga.steps.get(step_id)?.runs.at(-1)?.undo?.call_id as string;
  }

  requestsUndo(step_id: string): this {
    const of_call_id = this.call(step_id);
    const call_id = `undo-${step_id}-${++this.ids}`;
    const what = {
      call_id,
      key: `undo ${step_id} ${this.ids}`,
      tool: 'undo',
      version: '1.0.0',
      inputs_json: '{}',
      deadline_at_ms: 9,
      reason: '',
    };
    return this.when({ kind: 'undo_prepared', of_call_id, ...what });
  }

  endsUndo(step_id: string, result: 'executed' | 'failed' | 'unconfirmed' = 'executed'): this {
    const what = { of_call_id: this.call(step_id), call_id: this.undoCall(step_id), error: null, duration_ms: 1, retry_count: 0 };
    return this.when({ kind: 'undo_ended', ...what, result });
  }

  controls(act: 'pause' | 'resume' | 'cancel' | 'retry' | 'accept' | 'done_by_hand', step_id: string | null = null): this {
    return this.when({ kind: 'control', command_id: `c${++this.ids}`, act, step_id, reason: null, by, source: null });
  }

  call(step_id: string): string {
    return this.saga.steps.get(step_id)?.runs.at(-1)?.call_id as string;
  }

  effects(): string[] {
    return sagaEffectsOf(this.saga).map((effect) =>
      `${effect.kind} ${'run' in effect ? effect.run.step_id : 'step_id' in effect ? effect.step_id : 'ticket' in effect ? effect.ticket.ticket : ''}`.trim(),
    );
  }
}
