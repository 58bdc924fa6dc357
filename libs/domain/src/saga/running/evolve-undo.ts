import { ownRun } from './copy.js';
import type { SagaFact } from './facts.js';
import type { RunningSaga } from './state.js';

type UndoFact = SagaFact<'compensation_requested' | 'compensation_executed' | 'compensation_failed'>;

const NOT_REQUESTED = { key: null, inputs_json: null, requests: 0 };

/** The result of the undo of one run. */
export function foldUndo(saga: RunningSaga, at: UndoFact): void {
  const run = ownRun(saga, at.body.of_call_id);
  if (!run) return;
  const { call_id, tool, version } = at.body;
  if (at.event_type === 'compensation_requested') {
    if (run.undo?.call_id === call_id) return;
    const { key, inputs_json } = at.body;
    const requests = (run.undo?.requests ?? 0) + 1;
    run.undo = { state: 'requested', call_id, key, tool, version, inputs_json, requests, seq: saga.seq };
    return;
  }
  if (run.undo && run.undo.state !== 'requested' && run.undo.state !== 'again') return;
  const undo = run.undo ?? { ...NOT_REQUESTED, call_id, tool, version };
  const state = at.event_type === 'compensation_executed' ? 'executed' : (at.body.failure ?? 'failed');
  run.undo = { ...undo, state, seq: saga.seq };
}
