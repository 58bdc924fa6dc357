import { seenBy } from '@countersign/calls';
import { placed, sampleCall, sampleEnd, sampleMeta, sampleOutcome, sampleRuling } from '@countersign/calls/testing/samples';
import { callError } from '@countersign/contracts';
import { type CallState, evolve, initialConfiguration, setPersonalData } from '@countersign/domain';
import { expect, test } from 'vitest';
import { CallSearch } from './call-search.js';

const ended = (call: Partial<ReturnType<typeof sampleCall>>, outcome: Partial<ReturnType<typeof sampleOutcome>> = {}): CallState =>
  [
    placed('tool_call_requested', { meta: sampleMeta(), call: sampleCall(call) }, 'tool-call-requested'),
    placed('policy_decided', sampleRuling({ call: sampleCall(call) }), 'policy-decided'),
    placed('tool_executed', sampleEnd({ outcome: sampleOutcome(outcome) }), 'tool-executed'),
  ].reduce<CallState | undefined>(evolve, undefined) as CallState;

const everyone = initialConfiguration();
const finds = (text: string, call: CallState, clearances: string[] = ['*'], configuration = everyone) =>
  new CallSearch({ text }, configuration).matches(seenBy(call, { clearances }));

const failed = (message: string) => ({ status: 'failed' as const, output_json: null, error: callError('PROVIDER_ERROR', message) });

test('inputs and the error message of a marked call are searched only for cleared readers; ids for everyone', () => {
  const markings = ['payroll'];
  const authority = { markings, sources: [], on_behalf_of: null } as never;
  const call = ended({ case_id: 'case_pay', inputs_json: '{"who":"Ida Sample"}', authority }, failed('Ida is on leave'));
  for (const text of ['ida sample', 'on leave'])
    expect([text, finds(text, call, markings), finds(text, call, []), finds(text, call, ['other'])]).toEqual([text, true, false, false]);
  expect([finds('case_pay', call, []), finds('write_note', call, []), finds(call.call_id, call, [])]).toEqual([true, true, true]);
  // The search does not match the placeholder either: it would reveal which calls are marked.
  expect(finds('not cleared', call, [])).toBe(false);
});

test('a mapped call is found by the inputs of the agent, not by the mapped ones', () => {
  const mapped = { mapping_version: 1, inputs_json: '{"cents":"thousand"}', inputs_digest: 'a', warnings: [] } as never;
  const call = ended({ inputs_json: '{"amount":"ten"}', mapped });
  expect([finds('ten', call), finds('cents', call), finds('thousand', call)]).toEqual([true, false, false]);
});

test('results are not searched', () => {
  expect(finds('confidential', ended({}, { output_json: '{"note":"confidential"}' }))).toBe(false);
});

test('a personal-data rule about only the output of a tool also excludes its inputs and messages from the search', () => {
  const configuration = initialConfiguration();
  setPersonalData(configuration, {
    meta: sampleMeta(),
    rule_id: 'answers',
    version: 1,
    removed: false,
    tools: ['write_*'],
    markings: [],
    subjects: ['/path'],
    inputs: [],
    output: [{ path: '/owner', subjects: [] }],
    by: { kind: 'user', id: 'paula', roles: [] },
    changed_at_ms: 1,
  });
  const call = ended({ inputs_json: '{"path":"ida.txt"}' }, failed('the owner Ida refuses'));
  for (const text of ['ida.txt', 'owner ida'])
    expect([text, finds(text, call), finds(text, call, ['*'], configuration)]).toEqual([text, true, false]);
  expect(finds('write_note', call, ['*'], configuration)).toBe(true);
});
