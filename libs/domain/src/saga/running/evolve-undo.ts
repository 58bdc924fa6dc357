import type { SagaFact } from './facts.js';
import { type RunningSaga, runOf } from './state.js';

type UndoFact = SagaFact<'compensation_requested' | 'compensation_executed' | 'compensation_failed'>;

const UNASKED = { key: null, inputs_json: null };

/** The result of the undo of one run. */
export function foldUndo(saga: RunningSaga, at: UndoFact): void {
  const run = runOf(saga, at.body.of_call_id);
  if (!run) return;
  const { call_id, tool, version } = at.body;
  if (at.event_type === 'compensation_requested') {
    const { key, inputs_json } = at.body;
    run.undo = { state: 'requested', call_id, key, tool, version, inputs_json };
    return;
  }
  const undo = run.undo ?? { ...UNASKED, call_id, tool, version };
  run.undo = { ...undo, state: at.event_type === 'compensation_executed' ? 'executed' : (at.body.failure ?? 'failed') };
}
