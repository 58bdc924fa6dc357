import { Calls, envelopeText, Refusal, Views } from '@countersign/calls';
import { CALL_ID, placed, sampleCall, sampleEnd, sampleMeta, sampleRuling } from '@countersign/calls/testing/samples';
import { type CallState, evolve } from '@countersign/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { OpenStreams } from '../streams/open-streams.js';
import { FeatureApp } from '../testing/feature-app.js';
import { CallsModule } from './calls.module.js';

const state = [
  placed('tool_call_requested', { meta: sampleMeta(), call: sampleCall() }, 'tool-call-requested'),
  placed('policy_decided', sampleRuling(), 'policy-decided'),
  placed('tool_executed', sampleEnd(), 'tool-executed'),
].reduce<CallState | undefined>(evolve, undefined) as CallState;
const envelope = envelopeText(state);

/** One recorded call, which has ended. */
const calls = {
  recorded: { views: { current: async () => true } },
  status: async ({ call_id }: { call_id: string }) =>
    call_id === CALL_ID ? { state, envelope, was_sealed: true } : new Refusal('not-found', 'the call does not exist'),
  cancel: async (_: unknown, reason: string | undefined) => ({
    state,
    envelope,
    was_sealed: false,
    reached: reason !== 'late',
    at: undefined,
  }),
};

let app: FeatureApp;
beforeAll(async () => {
  app = await FeatureApp.open(
    [CallsModule],
    [
      { provide: Calls, useValue: calls },
      { provide: ConfigurationService, useValue: {} },
      { provide: OpenStreams, useValue: {} },
      { provide: Views, useValue: calls.recorded.views },
    ],
  );
});
afterAll(() => app.close());

test('a call is sent as serialized text, which must not be cached if it has decrypted data', async () => {
  const { status, text, headers } = await app.send('GET', `/v1/calls/${CALL_ID}`, { role: 'auditor' });
  expect([status, text, headers['cache-control']]).toEqual([200, envelope, 'no-store']);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect((await app.send('GET', '/v1/calls/2-none', { role: 'auditor' })).status).toBe(404);
});

test('a cancellation that takes long is 202 with the current call; the body may be absent or null', async () => {
  const cancel = (body?: unknown) => app.send('POST', `/v1/calls/${CALL_ID}/cancel`, { role: 'agent', body });
  expect((await cancel()).status).toBe(200);
  const later = await cancel({ reason: 'late' });
  expect([later.status, later.headers.location]).toEqual([202, `/v1/calls/${CALL_ID}`]);
  expect((await cancel({ why: 'x' })).body.validation.issues).toMatchObject([{ path: '/why', code: 'unknown_field' }]);
});

test('agents and operators submit and cancel, only operators resolve', async () => {
  expect((await app.send('POST', '/v1/calls', { body: {} })).status).toBe(401);
  expect((await app.send('POST', '/v1/calls', { role: 'auditor', body: { tool: 'x' } })).status).toBe(403);
  expect((await app.send('POST', '/v1/calls', { role: 'agent', body: {} })).body.validation.issues[0].path).toBe('/tool');
  expect((await app.send('POST', `/v1/calls/${CALL_ID}/resolve`, { role: 'agent', body: {} })).status).toBe(403);
});

test('a request with member names of responses is refused with the right names', async () => {
  const post = async (body: object) => (await app.send('POST', '/v1/calls', { role: 'agent', body })).body.validation.issues;
  const message = 'there is no such field in a request: use `tool` and `inputs`';
  expect(await post({ tool: 'x', name: 'x' })).toEqual([{ path: '/name', code: 'unknown_field', message }]);
  expect(await post({ tool: 'x', input: {} })).toEqual([{ path: '/input', code: 'unknown_field', message }]);
  expect(await post({ tool: 'x', colour: 1 })).toMatchObject([{ path: '/colour', message: 'the field does not exist' }]);
  const batch = await app.send('POST', '/v1/calls:batch', { role: 'agent', body: { calls: [{ tool: 'x', input: {} }] } });
  expect(batch.body.validation.issues).toEqual([{ path: '/calls/0/input', code: 'unknown_field', message }]);
});

test('a number of a query must be in decimal digits', async () => {
  for (const limit of ['', '0x5', '501', '1.5'])
    expect((await app.send('GET', `/v1/calls?limit=${limit}`, { role: 'agent' })).body.validation.issues[0].path).toBe('/limit');
});
