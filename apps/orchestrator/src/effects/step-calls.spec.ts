import { Refusal, type StateSink } from '@countersign/calls';
import { callError, InfrastructureFault } from '@countersign/contracts';
import type { CallState, Run, StepBlock } from '@countersign/domain';
import { expect, test } from 'vitest';
import { EvaluationFault } from '../evaluation/evaluation-fault.js';
import type { OpenSaga } from '../sagas/open-saga.js';
import { EffectStop } from './effect-stop.js';
import { StepCalls } from './step-calls.js';

const run = {
  step_id: 'send',
  call_id: '3-a',
  key: 'k',
  level: 0,
  tool: 'send',
  version: '1.0.0',
  inputs_json: '{}',
  deadline_at_ms: null,
} as Run;
const block = { kind: 'step', name: 'send', use: { tool: 'send', version: '^1.0.0', inputs: { to: { from: '/steps/a/output' } } } };
const recorded = {
  ...{ call_id: '3-a', attempt: 1, ruling: { effect: 'allow' }, started: {}, doubt: null, call: null },
  end: { kind: 'executed', original_call_id: null, outcome: { status: 'succeeded', effect: 'happened', error: null, output_json: '{}' } },
} as unknown as CallState;

/** A saga after a restart, or one whose step this process has just recorded. */
const sagaOf = (...unsent: string[]): OpenSaga => ({
  ...({ tenant_id: 'acme', saga_id: 's', correlation_id: 'c', sources: new Map(), unsent: new Set(unsent) } as unknown as OpenSaga),
  state: { case_id: null, by: { kind: 'agent', id: 'bot', roles: [] }, authority: null, definition_digest: null } as never,
});

interface Terms {
  sent: () => Promise<CallState | undefined>;
  /** Why the inputs cannot be evaluated any more. */
  fault?: string;
  standing?: ReturnType<typeof callError>;
}

function stepCalls({ sent, fault, standing }: Terms): StepCalls {
  const scope = { valueOf: async () => (fault ? new EvaluationFault(fault) : { value: 1, call_ids: [], markings: [] }) };
  const outputs = { note: () => undefined, evaluable: async () => ({}), hasErased: () => false };
  const definition = { step: () => block as unknown as StepBlock };
  const scopes = { of: () => scope, definitionOf: () => definition, outputs } as never;
  const submit = (_call: unknown, _by: unknown, sink: StateSink) => sink.refused(new Refusal('invalid-inputs', 'not valid'));
  const following = { settled: async (state: CallState) => state };
  const parts = { standing: { refusal: () => standing }, repairs: { isRepairable: async () => false }, sent: { find: sent } };
  return new StepCalls({ submit, cancel: undefined as never } as never, following, scopes, parts);
}

const endOf = (terms: Terms, saga = sagaOf()) => stepCalls(terms).call(saga, run, new EffectStop(), () => undefined);
const failed = { kind: 'step_ended', status: 'failed', effect: 'none' };
const succeeded = { kind: 'step_ended', status: 'succeeded', effect: 'happened' };

test.each([
  ['its inputs cannot be evaluated any more', { fault: 'erased' }],
  ['its starter has no rights any more', { standing: callError('AUTH_REQUIRED', 'revoked') }],
  ['its repeat is refused', {}],
])('a call that was sent is followed although %s', async (_, terms) => {
  expect(await endOf({ ...terms, sent: async () => recorded })).toMatchObject(succeeded);
  expect(await endOf({ ...terms, sent: async () => undefined })).toMatchObject(failed);
});

test.each([
  ['its inputs cannot be evaluated', { fault: 'erased' }],
  ['its starter has no rights', { standing: callError('AUTH_REQUIRED', 'revoked') }],
  ['it is refused', {}],
])('a call that may have been sent is not recorded as failed because %s', async (_, terms) => {
  const sent = () => Promise.reject(new InfrastructureFault('the views are behind'));
  await expect(endOf({ ...terms, sent })).rejects.toBeInstanceOf(InfrastructureFault);
});

test('a call that was not sent yet is not looked for before it is sent', async () => {
  const sent = () => Promise.reject(new InfrastructureFault('the views are behind'));
  expect(await endOf({ sent, fault: 'no such value' }, sagaOf('3-a'))).toMatchObject(failed);
});
