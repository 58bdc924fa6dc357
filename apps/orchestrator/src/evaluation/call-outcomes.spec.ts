import { InfrastructureFault } from '@countersign/contracts';
import type { CallState } from '@countersign/domain';
import { expect, test } from 'vitest';
import { CallOutcomes } from './call-outcomes.js';

const started = { call_id: 'a', ruling: { effect: 'allow' }, started: {}, end: null, doubt: null } as unknown as CallState;
const inDoubt = { ...started, doubt: { outcome: { status: 'in_doubt' } } } as unknown as CallState;
const ended = (call_id: string, status: string, original_call_id: string | null = null) =>
  ({ ...started, call_id, end: { original_call_id, outcome: { status } } }) as unknown as CallState;

function outcomesOf(...views: CallState[]): CallOutcomes {
  const find = async (_tenant_id: string, call_id: string) => views.find((state) => state.call_id === call_id);
  return new CallOutcomes({ recorded: { find } } as never);
}

test('a call that the saga knows as settled, and the views do not yet, is read again', async () => {
  await expect(outcomesOf(started).settled('default', 'a')).rejects.toThrow(InfrastructureFault);
  expect(await outcomesOf(inDoubt).settled('default', 'a')).toBe(inDoubt);
});

test('a call whose outcome the saga knows, and which the views have in doubt, is read again', async () => {
  for (const behind of [started, inDoubt]) await expect(outcomesOf(behind).known('default', 'a')).rejects.toThrow(InfrastructureFault);
  const resolved = ended('a', 'succeeded');
  expect(await outcomesOf(resolved).known('default', 'a')).toBe(resolved);
});

test('the outcome of a call that the doubt of an earlier call answered is that of the earlier call', async () => {
  const repeated = ended('b', 'in_doubt', 'a');
  await expect(outcomesOf(repeated, inDoubt).known('default', 'b')).rejects.toThrow(InfrastructureFault);
  const resolved = ended('a', 'succeeded');
  expect(await outcomesOf(repeated, resolved).known('default', 'b')).toBe(resolved);
});
