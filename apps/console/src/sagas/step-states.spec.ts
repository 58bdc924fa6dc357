import { describe, expect, test } from 'vitest';
import { recordedBlocks } from './recorded-blocks.js';
import { hasEnded, type Step, sagaTitle, stepName, type Wait } from './saga.js';
import { restState, stepStates } from './step-states.js';

const called = (step_id: string, status: string | null, more: Partial<Step> = {}) =>
  ({ step_id, status, compensation: null, requested_at: null, tool: 'pay', version: '1.0.0', ...more }) as Step;
const waited = (step_id: string, wait: Wait['wait'], ended_as: string | null) => ({ step_id, wait, ended_as, opened_at: '2' }) as Wait;
const undone = (status: NonNullable<Step['compensation']>['status']) => ({ compensation: { status } as Step['compensation'] });
const states = (steps: Step[], waits: Wait[] = []) => Object.fromEntries(stepStates({ steps, waits }));

describe('the state of a step', () => {
  test('is that of its last call', () => {
    expect(states([called('pay', 'failed'), called('pay', null)])).toEqual({ pay: { word: 'Running', tone: 'busy' } });
  });

  test('is what became of its undo, if one of its calls took effect', () => {
    expect(states([called('pay', 'succeeded', undone('failed')), called('pay', 'cancelled')]).pay).toEqual({
      word: 'Undo failed',
      tone: 'bad',
    });
    expect(states([called('pay', 'succeeded', undone('done_by_hand'))]).pay?.word).toBe('Undone by hand');
  });

  test('is an open wait, whatever its last call did', () => {
    expect(states([called('look', 'failed')], [waited('look', 'manual', null)]).look?.word).toBe('Waits for a person');
    expect(states([], [waited('ask', 'approval', 'refused')]).ask).toEqual({ word: 'Refused', tone: 'bad' });
  });

  test('of a map counts its items, and the most urgent gives the tone', () => {
    const items = [called('ship[0]', 'succeeded'), called('ship[1]', 'in_doubt'), called('ship[2]', 'succeeded')];
    expect(states(items).ship).toEqual({ word: '2 succeeded, 1 in doubt', tone: 'bad' });
  });

  test('that this console does not know is shown as it is', () => {
    expect(states([called('pay', 'constructor')]).pay).toEqual({ word: 'constructor', tone: 'neutral' });
  });
});

test('what has not begun says whether it still can', () => {
  expect(restState({ status: 'running', ended_at: null }).word).toBe('Not started');
  expect(restState({ status: 'compensated', ended_at: '2026-01-01T00:00:00Z' }).word).toBe('Not run');
  expect(hasEnded({ status: 'compensation_failed', ended_at: null })).toBe(false);
});

test('a saga is named by its definition, by what it undoes, or by its id', () => {
  const definition = { name: 'trip', version: '1.0.0' };
  expect(sagaTitle({ definition, undoes: 0, saga_id: 's' })).toBe('trip');
  expect(sagaTitle({ definition: null, undoes: 2, saga_id: 's' })).toBe('Undo of 2 calls');
  expect(sagaTitle({ definition: null, undoes: 0, saga_id: 's' })).toBe('s');
  expect([stepName('ship[2]'), stepName('ship[2][0]'), stepName('a[1]b')]).toEqual(['ship', 'ship', 'a[1]b']);
});

test('without a definition the graph is what began, in its order, each step once', () => {
  const steps = [
    called('b', null, { requested_at: '3' }),
    called('a', 'failed', { requested_at: '1' }),
    called('a', null, { requested_at: '4' }),
  ];
  const root = recordedBlocks({ steps, waits: [waited('ask', 'approval', null), waited('a', 'manual', null)] });
  expect(root.kind === 'sequence' && root.blocks.map((block) => 'name' in block && block.name)).toEqual(['a', 'ask', 'b']);
});
