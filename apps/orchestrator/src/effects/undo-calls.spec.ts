import type { CallState, CompensationFact, Run } from '@countersign/domain';
import { expect, test } from 'vitest';
import type { OpenSaga } from '../sagas/open-saga.js';
import { EffectStop } from './effect-stop.js';
import { UndoCalls } from './undo-calls.js';

const run = { step_id: 'send', call_id: 'step', undo: { call_id: 'undo', requests: 1 } } as Run;

/** The end of an undo whose effect was undone already. */
function endOf(by: Pick<CompensationFact, 'call_id' | 'confirmed'>) {
  const forward = { call_id: 'step', compensation: { outcome: 'compensated', ...by } } as CallState;
  const undos = new UndoCalls({} as never, { outcomes: { known: async () => forward } } as never, {} as never, () => 0);
  return undos.call({ tenant_id: 'acme' } as OpenSaga, run, new EffectStop(), () => undefined);
}

test.each([
  ['this call, verified', { call_id: 'undo', confirmed: true }, 'executed'],
  ['this call, and its tool cannot verify at all', { call_id: 'undo', confirmed: null }, 'executed'],
  ['another call, verified', { call_id: 'other', confirmed: true }, 'executed'],
  ['this call, and its tool could not verify it', { call_id: 'undo', confirmed: false }, 'unconfirmed'],
  // There is no call of this undo that could be followed.
  ['another call, and its tool could not verify it', { call_id: 'other', confirmed: false }, 'failed'],
])('an effect that was undone by %s', async (_, by, result) => {
  expect(await endOf(by)).toMatchObject({ kind: 'undo_ended', of_call_id: 'step', call_id: 'undo', result });
});

test('an undo that was sent is followed although its repeat is refused', async () => {
  const forward = { call_id: 'step', call: null, end: { outcome: { status: 'succeeded', effect: 'happened' } } } as unknown as CallState;
  const succeeded = { call_id: 'undo', end: { outcome: { status: 'succeeded', effect: 'happened', error: null } } } as unknown as CallState;
  const endIf = (recorded: CallState | undefined) => {
    const scopes = { definitionOf: () => ({ step: () => ({}) }) };
    const sent = { find: async () => recorded };
    const following = { settled: async (state: CallState) => state };
    const parts = { outcomes: { known: async () => forward }, scopes, sent, following };
    const undos = new UndoCalls({} as never, parts as never, {} as never, () => 0);
    return undos.call({ tenant_id: 'acme' } as OpenSaga, run, new EffectStop(), () => undefined);
  };
  expect(await endIf(succeeded)).toMatchObject({ kind: 'undo_ended', result: 'executed' });
  expect(await endIf(undefined)).toMatchObject({ kind: 'undo_ended', result: 'failed' });
});
