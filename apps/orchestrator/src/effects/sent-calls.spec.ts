import { type CallName, Refusal } from '@countersign/calls';
import { InfrastructureFault } from '@countersign/contracts';
import type { CallState } from '@countersign/domain';
import { expect, test } from 'vitest';
import type { OpenSaga } from '../sagas/open-saga.js';
import { SentCalls } from './sent-calls.js';

const call_id = '3-00000000-0000-7000-8000-000000000001';
const saga = { tenant_id: 'acme', state: { by: { kind: 'agent', id: 'bot', roles: [] }, authority: null } } as unknown as OpenSaga;
const configuration = { state: { tenants: new Map([['acme', { tenant_id: 'acme', lane: 'shared' }]]) } } as never;
const notFound = new Refusal('not-found', 'no call has this id');
const behind = new Refusal('unavailable', 'the views are behind');

/** The answers of the views: at once, and once they have passed what they are asked to. */
function sentCalls(at_once: CallState | Refusal, later: CallState | Refusal = at_once) {
  const asked: CallName['seen'][] = [];
  const find = async ({ seen }: CallName) => {
    asked.push(seen);
    return seen ? later : at_once;
  };
  return { asked, sent: new SentCalls({ find }, configuration, { head: async () => 8, first: async () => 0 }) };
}

test('a call that no view has is not recorded only if the views have passed all requests of its partition', async () => {
  const { asked, sent } = sentCalls(notFound);
  expect(await sent.find(saga, call_id)).toBeUndefined();
  expect(asked[1]?.positions).toEqual([{ topic: 'tool-call-requested', partition: 3, offset: 7 }]);
});

test('a call whose request the views did not have yet is found', async () => {
  const recorded = { call_id } as CallState;
  expect(await sentCalls(notFound, recorded).sent.find(saga, call_id)).toBe(recorded);
});

test('views that stay behind do not know whether a call is recorded', async () => {
  await expect(sentCalls(behind).sent.find(saga, call_id)).rejects.toBeInstanceOf(InfrastructureFault);
  await expect(sentCalls(notFound, behind).sent.find(saga, call_id)).rejects.toBeInstanceOf(InfrastructureFault);
});
