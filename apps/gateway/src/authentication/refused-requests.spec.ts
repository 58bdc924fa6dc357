import { type Caller, Refusal } from '@countersign/calls';
import { EventCodec, type SecurityEventRecorded } from '@countersign/contracts';
import type { AppDeps } from '@countersign/process';
import { describe, expect, test, vi } from 'vitest';
import { lacksRole } from './authenticator.js';
import { RefusedRequests, type RoutedRequest } from './refused-requests.js';

const codec = new EventCodec();
const caller = (id: string) =>
  ({ tenant_id: 'acme', principal: { kind: 'agent', id, roles: ['agent'] }, clearances: [] }) as unknown as Caller;
const request = (path: string, route?: string) =>
  ({ url: path, raw: { method: 'GET' }, ...(route ? { routeOptions: { url: route } } : {}) }) as RoutedRequest;
const noRole = lacksRole(caller('a'), ['auditor']) as Refusal;

function recording(taken: { value: Buffer }[][], fails = false) {
  const append = (records: { value: Buffer }[]) => {
    taken.push(records);
    return fails ? Promise.reject(new Error('the log is unavailable')) : Promise.resolve(records.map((_, at) => at));
  };
  const warn = vi.fn();
  const parts = { log: { append }, codec, clock: { now_ms: () => 1_000 }, logger: { warn } } as unknown as AppDeps;
  return { refused: new RefusedRequests(parts), warn };
}

const decoded = (records: readonly { value: Buffer }[]) => records.map(({ value }) => codec.decode(value).event as SecurityEventRecorded);

describe('refused requests', () => {
  test('are recorded by caller, kind and route, equal ones once with a count; nothing else is recorded', async () => {
    const taken: { value: Buffer }[][] = [];
    const { refused } = recording(taken);
    for (let i = 0; i < 3; i++) refused.note(caller('a'), request(`/v1/cases/${i}`, '/v1/cases/:case_id'), noRole);
    refused.note(caller('b'), request('/v1/calls?x=1'), new Refusal('forbidden', 'not yours'));
    refused.note(
      caller('b'),
      request('/v1/calls/1', '/v1/calls/:call_id'),
      new Refusal('not-found', 'none', {}, { access: 'cross_tenant' }),
    );
    refused.note(caller('b'), request('/v1/calls'), new Refusal('not-found', 'none'));
    await refused.close();
    expect(taken).toHaveLength(1);
    expect(decoded(taken[0] ?? [])).toMatchObject([
      { kind: 'role_refused', times: 3, principal: { id: 'a' }, detail: 'GET /v1/cases/:case_id: this needs one of the roles auditor' },
      { kind: 'request_refused', times: 1, principal: { id: 'b' }, detail: 'GET /v1/calls: not yours', meta: { tenant_id: 'acme' } },
      { kind: 'cross_tenant', times: 1 },
    ]);
  });

  test('a flood of different ones is written at once, and not kept in memory', async () => {
    const taken: { value: Buffer }[][] = [];
    const { refused } = recording(taken);
    for (let i = 0; i < 2_500; i++) refused.note(caller(`agent-${i}`), request('/v1/keys'), noRole);
    expect(taken.map((records) => records.length)).toEqual([1_000, 1_000]);
    await refused.close();
    expect(taken.map((records) => records.length)).toEqual([1_000, 1_000, 500]);
  });

  test('an unavailable log only loses the record', async () => {
    const { refused, warn } = recording([], true);
    refused.note(caller('a'), request('/v1/keys'), noRole);
    await refused.close();
    expect(warn).toHaveBeenCalledTimes(1);
  });
});
