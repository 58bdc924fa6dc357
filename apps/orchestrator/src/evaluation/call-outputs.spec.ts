import { InfrastructureFault } from '@countersign/contracts';
import type { CallState } from '@countersign/domain';
import { expect, test } from 'vitest';
import { CallOutcomes } from './call-outcomes.js';
import { CallOutputs } from './call-outputs.js';

const tenant_id = 'default';
const started = (call_id: string) => ({ tenant_id, call_id, call: null, end: null, doubt: null }) as unknown as CallState;
const ended = (call_id: string, status: string, output_json: string | null, original_call_id: string | null = null) =>
  ({ ...started(call_id), end: { original_call_id, outcome: { status, output_json, truncated: false } } }) as unknown as CallState;

/** Outputs of the calls in these views. */
function outputsOf(views: Map<string, CallState>): CallOutputs {
  const find = async (_tenant_id: string, call_id: string) => views.get(call_id);
  return new CallOutputs(new CallOutcomes({ recorded: { find } } as never), {} as never);
}

test('while the views are behind the end of a call, its output is read again; it is not null', async () => {
  const views = new Map([['a', started('a')]]);
  const outputs = outputsOf(views);
  await expect(outputs.of(tenant_id, 'a')).rejects.toThrow(InfrastructureFault);
  views.set('a', ended('a', 'succeeded', '{"id":1}'));
  expect(await outputs.of(tenant_id, 'a')).toMatchObject({ output_json: '{"id":1}' });
});

test('a call in doubt has no output until it is resolved with one', async () => {
  const views = new Map([['a', started('a')]]);
  const outputs = outputsOf(views);
  outputs.note(started('a'));
  views.set('a', ended('a', 'succeeded', '{"id":1}'));
  expect(await outputs.of(tenant_id, 'a')).toMatchObject({ output_json: '{"id":1}' });
});

test('a call that the doubt of an earlier call answered has the output with which that one is resolved', async () => {
  const repeated = ended('b', 'in_doubt', null, 'a');
  const outputs = outputsOf(
    new Map([
      ['a', ended('a', 'succeeded', '{"id":1}')],
      ['b', repeated],
    ]),
  );
  outputs.note(repeated);
  expect(await outputs.of(tenant_id, 'b')).toMatchObject({ output_json: '{"id":1}' });
});
