import type { SagaUndoneEffect } from '@countersign/contracts';
import { DAY_MS } from '../../durations.js';
import type { SagaDefinition, StepBlock } from '../definition/definition.js';
import type { StepEntry } from './state.js';

const VERSION = '1.0.0';

const stepOf = ({ step_id, tool, version }: SagaUndoneEffect): StepBlock => ({
  kind: 'step',
  name: step_id,
  use: { tool, version, inputs: {} },
});

/**
 * The definition of a saga that undoes earlier calls: a sequence of these calls, in which none is left to run. It compensates from its
 * start on, like a saga that was cancelled after its last step.
 */
export const undoDefinition = (undoes: readonly SagaUndoneEffect[]): SagaDefinition => ({
  name: 'undo',
  version: VERSION,
  wait_max_ms: DAY_MS,
  root: { kind: 'sequence', blocks: undoes.map(stepOf) },
});

/** The steps of earlier calls, as if the saga had run them in this order. Their undo is that of their own tool. */
export function stepsOfEarlierCalls(undoes: readonly SagaUndoneEffect[]): Map<string, StepEntry> {
  return new Map(undoes.map((effect, at) => [effect.step_id, entryOf(effect, at + 1)]));
}

function entryOf({ step_id, call_id, tool, version, key, attempt, resources }: SagaUndoneEffect, seq: number): StepEntry {
  const what = { step_id, attempt: 1, level: 0, call_id, tool, version, key, inputs_json: '{}', resources };
  const how = { is_write: true, is_irreversible: false, compensation_tool: tool, deadline_at_ms: null };
  const end = { status: 'succeeded', effect: 'happened', seq, effect_key: key, effect_attempt: attempt } as const;
  const run = {
    ...what,
    ...how,
    ...{ requested_seq: seq, is_cancelling: false, is_overdue: false, stood_ms: 0, undo: null },
    end: { ...end, is_repaired: false, is_late: false },
  };
  return { mark: null, mark_seq: 0, mark_level: 0, retry_level: null, runs: [run], skips: [] };
}
