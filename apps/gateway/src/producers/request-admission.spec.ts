import type { AnswerSink, Caller, Calls } from '@countersign/calls';
import { CALL_ID, placed, sampleCall, sampleEnd, sampleMeta, sampleRuling } from '@countersign/calls/testing/samples';
import { type CallState, evolve, type PlacedEvent } from '@countersign/domain';
import { expect, test } from 'vitest';
import type { ProducedRequest } from './produced-commands.js';
import { RequestAdmission } from './request-admission.js';

const REQUESTED = placed('tool_call_requested', { meta: sampleMeta(), call: sampleCall() }, 'tool-call-requested');
const RULED = placed('policy_decided', sampleRuling(), 'policy-decided');
const ENDED = placed('tool_executed', sampleEnd(), 'tool-executed');
const request = { record: { headers: {} }, request: {}, idempotency_key: undefined } as unknown as ProducedRequest;

/** Admits a repeat of a request whose call has these records. */
function repeatOf(...records: PlacedEvent[]) {
  const state = records.reduce<CallState | undefined>((before, at) => evolve(before, at), undefined) as CallState;
  const answer = { ended: false, state, positions: [], repeat: true, envelope: '{}', deprecation: undefined };
  const submit = (_request: unknown, _by: unknown, sink: AnswerSink) => sink.answered(answer);
  return new RequestAdmission({ submit } as unknown as Calls).submit(request, {} as Caller);
}

test('a repeat of a call that runs is not answered: the end may be written first', async () => {
  expect(await repeatOf(REQUESTED, RULED)).toEqual({ kind: 'recorded', call_id: CALL_ID, repeat: undefined });
});

test('a repeat of a call that has ended is answered again', async () => {
  expect(await repeatOf(REQUESTED, RULED, ENDED)).toMatchObject({ kind: 'recorded', repeat: { envelope: '{}' } });
});
