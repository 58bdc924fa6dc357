import { expect, test } from 'vitest';
import { sampleContract } from '../testing/samples.js';
import { undoFaultOf, undoUntilMs } from './undo-fault.js';

const toolOf = (more: object) => ({ name: 'move', contract: sampleContract({ has_compensate: true, ...more }) });
const ended = { end: { outcome: { ended_at_ms: 1_000 } } } as never;

test('an effect can be undone until its tool no longer keeps what it needs', () => {
  const tool = toolOf({ undo_within_ms: 500 });
  expect(undoUntilMs(tool, ended)).toBe(1_500);
  expect(undoFaultOf(tool, ended, 1_500)).toBeUndefined();
  expect(undoFaultOf(tool, ended, 1_501)).toMatchObject({ kind: 'not-undoable', more: { reason: 'undo_time_over' } });
});

test('without a limit an effect can be undone at any time', () => {
  expect([undoUntilMs(toolOf({}), ended), undoFaultOf(toolOf({}), ended, Number.MAX_SAFE_INTEGER)]).toEqual([null, undefined]);
});
