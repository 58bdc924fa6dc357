import type { Principal } from '@countersign/contracts';
import type { Mulberry32 } from '../../mulberry32.js';
import type { Block, SagaDefinition } from '../definition/definition.js';
import { rootOf, within } from '../definition/places.js';
import type { SagaCommand } from '../running/commands.js';
import type { SagaEffect } from '../running/effects.js';
import { instanceOf } from '../running/instance.js';
import type { Run } from '../running/state.js';
import { drawIndex, drawLatency, drawOutcome, type Outcome } from './random-outcomes.js';
import { type ChainRates, choiceShares, itemsOf, type LevelRates } from './rates.js';

const by: Principal = { kind: 'user', id: 'simulation', roles: [] };
/** Waits for people and events never expire in the simulation: their answers are drawn. */
const NEVER_MS = 2 ** 50;

/** A command with the key that stands for it in the memory of decisions. */
export interface SimulatedAnswer {
  key: string;
  command: SagaCommand;
}

/** A definition whose waits for people and events do not expire. */
function endless(block: Block): Block {
  switch (block.kind) {
    case 'wait':
      return block.wait === 'time' ? block : { ...block, timeout_ms: NEVER_MS };
    case 'sequence':
      return { ...block, blocks: block.blocks.map(endless) };
    case 'parallel':
      return { ...block, branches: block.branches.map(endless) };
    case 'map':
      return { ...block, body: endless(block.body) };
    case 'branch': {
      const choices = block.choices.map((choice) => ({ ...choice, block: endless(choice.block) }));
      return { ...block, choices, ...(block.otherwise ? { otherwise: endless(block.otherwise) } : {}) };
    }
    default:
      return block;
  }
}

/** Answers the effects of a saga with outcomes that are drawn by the given rates. All calls are writes that can be undone. */
export class SimulatedWorld {
  private readonly blocks: ReadonlyMap<string, Block>;

  constructor(
    private readonly definition: SagaDefinition,
    private readonly rates: ChainRates,
    private readonly random: Mulberry32,
  ) {
    this.blocks = new Map(within(rootOf(definition)).flatMap(({ block }) => ('name' in block ? [[block.name, block] as const] : [])));
  }

  start(): SagaCommand {
    const definition = { ...this.definition, wait_max_ms: NEVER_MS, root: endless(this.definition.root) };
    const texts = { definition_digest: '', definition_json: JSON.stringify(definition), inputs_json: '{}' };
    const who = { saga_id: 'simulated', case_id: null, by, authority: null, request_digest: null, source: null };
    return { kind: 'start', now_ms: 0, definition, ...texts, ...who, latencies: {}, deadline_at_ms: null };
  }

  /** The answer to an effect that takes no time; undefined if it takes time, or a person decides. */
  atOnce(effect: SagaEffect, now_ms: number): SimulatedAnswer | undefined {
    switch (effect.kind) {
      case 'prepare':
        return this.prepared(effect, now_ms);
      case 'choose_branch':
        return this.chosen(effect.block_id, now_ms);
      case 'read_list': {
        const items = itemsOf(this.blocks.get(effect.name) as Block & { kind: 'map' }, this.rates);
        return { key: `list ${effect.block_id}`, command: { kind: 'list_read', now_ms, block_id: effect.block_id, items } };
      }
      case 'prepare_undo':
        return this.undoPrepared(effect.run, effect.key_text, now_ms);
      case 'call_undo':
        return this.undone(effect.run, now_ms);
      case 'await':
        return effect.wait === 'manual' ? undefined : this.answered(effect.step_id, now_ms);
      default:
        return undefined;
    }
  }

  /** The drawn end of a call and its duration, milliseconds. */
  called({ step_id, level }: Run): { outcome: Outcome; duration_ms: number } {
    const rates = this.rates.levels.get(instanceOf(step_id).name)?.[level] as LevelRates;
    return { outcome: drawOutcome(rates, this.random), duration_ms: drawLatency(rates.latency, this.random) };
  }

  ended({ call_id, key }: Run, status: Outcome | 'cancelled', now_ms: number): SimulatedAnswer {
    const effect = status === 'succeeded' ? 'happened' : status === 'in_doubt' ? 'unknown' : 'none';
    const end = { call_id, status, effect, error: null, effect_key: key, effect_attempt: 1, is_repaired: false } as const;
    return { key: `${status} ${call_id}`, command: { kind: 'step_ended', now_ms, ...end } };
  }

  /** A doubt ends well. */
  resolved(call_id: string, now_ms: number): SimulatedAnswer {
    const command = { kind: 'evidence', now_ms, of_call_id: call_id, direction: 'forward', happened: true } as const;
    return { key: `resolved ${call_id}`, command };
  }

  /** A person answers. */
  answers(step_id: string, is_refused: boolean, now_ms: number): SimulatedAnswer {
    const command = {
      kind: 'wait_answered',
      now_ms,
      step_id,
      is_refused,
      answer_json: null,
      reason: null,
      by,
      command_id: null,
      source: null,
    } as const;
    return { key: `${is_refused ? 'refused' : 'answered'} ${step_id}`, command };
  }

  timeoutOf(step_id: string): number {
    return (this.blocks.get(instanceOf(step_id).name) as Block & { kind: 'wait' }).timeout_ms;
  }

  private answered(step_id: string, now_ms: number): SimulatedAnswer {
    const share = this.rates.answered.get(instanceOf(step_id).name) ?? 1;
    return this.answers(step_id, this.random.unit() >= share, now_ms);
  }

  private prepared(effect: Extract<SagaEffect, { kind: 'prepare' }>, now_ms: number): SimulatedAnswer {
    const { step_id, name, level, key_text: key } = effect;
    const call_id = `${step_id}/${level}`;
    const what = { step_id, level, call_id, tool: name, version: '1.0.0', key, inputs_json: '{}', latency_ms: 0, repairs: [] };
    const traits = { is_write: true, is_irreversible: false, resources: [call_id], compensation_tool: 'undo' };
    return { key: `prepared ${call_id}`, command: { kind: 'step_prepared', now_ms, ...what, ...traits } };
  }

  private chosen(block_id: string, now_ms: number): SimulatedAnswer {
    const block = this.blocks.get(instanceOf(block_id).name) as Block & { kind: 'branch' };
    const drawn = drawIndex(choiceShares(block, this.rates), this.random);
    const choice = drawn < block.choices.length ? drawn : -1;
    return { key: `chosen ${block_id} ${choice}`, command: { kind: 'branch_chosen', now_ms, block_id, choice } };
  }

  private undoPrepared(run: Run, key: string, now_ms: number): SimulatedAnswer {
    const what = { call_id: `undo ${run.call_id}`, key, tool: 'undo', version: '1.0.0', inputs_json: '{}' };
    const command = { kind: 'undo_prepared', now_ms, of_call_id: run.call_id, ...what, deadline_at_ms: NEVER_MS, reason: '' } as const;
    return { key: `undo ${run.call_id}`, command };
  }

  /** Compensations succeed and take no time. */
  private undone({ call_id, undo }: Run, now_ms: number): SimulatedAnswer {
    const result = { result: 'executed', error: null, duration_ms: 0, retry_count: 0 } as const;
    const command = { kind: 'undo_ended', now_ms, of_call_id: call_id, call_id: undo?.call_id ?? null, ...result } as const;
    return { key: `undone ${call_id}`, command };
  }
}
