import { setTimeout as sleep } from 'node:timers/promises';
import type { Row, Statement } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_STREAMS } from './config.js';
import { TestGateway } from './testing/test-gateway.js';

const STREAMS = 60;
const WATCHED_MS = 1_500;

let gateway: TestGateway;
const reads = { calls: 0 };
beforeAll(async () => {
  gateway = await TestGateway.open();
  const { store } = gateway.deps;
  const query = store.query.bind(store);
  store.query = <R extends Row>(statement: Statement) => {
    if (statement.name === 'views_read_call') reads.calls++;
    return query<R>(statement);
  };
}, 60_000);
afterAll(async () => {
  await gateway.close();
}, 30_000);

/** An open stream; `leave` closes its connection. */
async function follow(call_id: string, key: string) {
  const left = new AbortController();
  const response = await fetch(`${gateway.url}/v1/calls/${call_id}/events`, {
    headers: { authorization: `Bearer ${key}` },
    signal: left.signal,
  });
  return { response, leave: () => left.abort() };
}

const pending = async (): Promise<string> => (await gateway.call('ask_first')).body.call_id;

test('idle streams of a call query it as often as one of them', async () => {
  const call_id = await pending();
  const open = [await follow(call_id, gateway.key)];
  const idle = async () => {
    const before = reads.calls;
    await sleep(WATCHED_MS);
    return reads.calls - before;
  };
  const alone = await idle();
  while (open.length < STREAMS) open.push(await follow(call_id, gateway.key));
  expect(open.map(({ response }) => response.status)).toEqual(open.map(() => 200));
  // The first polls of a call are close together, the later ones far apart.
  expect(await idle()).toBeLessThanOrEqual(alone);
  expect(alone).toBeGreaterThan(0);
  for (const { leave } of open) leave();
});

test('a principal at its maximum of streams is refused with 429, until one of them is closed', async () => {
  const call_id = await pending();
  const key = await gateway.keyFor('streamer', ['operator']);
  const open: Awaited<ReturnType<typeof follow>>[] = [];
  while (open.length < DEFAULT_STREAMS.principal_max) open.push(await follow(call_id, key));
  const url = `/v1/calls/${call_id}/events`;
  const refused = await gateway.send('GET', url, undefined, {}, key);
  expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('content-type')]).toEqual([
    429,
    '5',
    'application/problem+json; charset=utf-8',
  ]);
  expect(refused.body).toMatchObject({
    type: 'urn:countersign:problem:too-many-streams',
    instance: url,
    code: 'RATE_LIMIT',
    retryable: true,
    scope: 'principal',
    open: DEFAULT_STREAMS.principal_max,
    open_max: DEFAULT_STREAMS.principal_max,
  });
  const other = await follow(call_id, await gateway.keyFor('another', ['operator']));
  expect(other.response.status).toBe(200);
  open.pop()?.leave();
  for (;;) {
    const again = await follow(call_id, key);
    again.leave();
    if (again.response.status === 200) break;
    await sleep(10);
  }
  for (const { leave } of [...open, other]) leave();
});
