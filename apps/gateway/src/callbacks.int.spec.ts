import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { undeliveredSince } from '@countersign/calls';
import { metaAfter } from '@countersign/contracts';
import { owedCallbacks } from '@countersign/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestGateway } from './testing/test-gateway.js';

let gateway: TestGateway;
let server: Server;
/** By request path: webhook-ids, one for each attempt. */
const got = new Map<string, string[]>();
let status = 204;
beforeAll(async () => {
  gateway = await TestGateway.open();
  server = createServer((request, response) => {
    const path = request.url as string;
    got.set(path, [...(got.get(path) ?? []), request.headers['webhook-id'] as string]);
    request.resume().on('end', () => response.writeHead(status).end());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
}, 60_000);
afterAll(async () => {
  await gateway.close();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
}, 30_000);

async function until<T>(found: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const it = await found();
    if (it) return it;
    await sleep(10);
  }
}

const hook = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
const ask = (tool: string, path: string) =>
  gateway.send('POST', '/v1/calls', { tool, inputs: { path, text: 'x' }, callback_url: hook(path) });
const owed = async (callId: string) => (await owedCallbacks(gateway.deps.store)).some(({ call_id }) => call_id === callId);

test('an accepted callback is sent once and not retried', async () => {
  status = 204;
  const { body } = await ask('write_note', '/taken');
  await until(async () => !(await owed(body.call_id)));
  await gateway.restart();
  expect(got.get('/taken')).toHaveLength(1);
});

test('a refused callback is sent again after a restart, under the same id', async () => {
  status = 503;
  const { body } = await ask('write_note', '/busy');
  await until(() => got.get('/busy'));
  expect(await owed(body.call_id)).toBe(true);
  await gateway.restart(async () => {
    status = 204;
  });
  const before = got.get('/busy')?.length as number;
  await until(async () => !(await owed(body.call_id)));
  expect(got.get('/busy')?.length).toBeGreaterThanOrEqual(Math.max(2, before));
  expect(new Set(got.get('/busy')).size).toBe(1);
});

test('the callback of a call that ended without a running gateway is sent at the next start', async () => {
  status = 204;
  const { body } = await ask('ask_first', '/nobody');
  expect(body.status).toBe('pending_approval');
  await gateway.restart(async () => {
    const requests = await gateway.events('tool-call-requested');
    const { meta } = requests.find((event) => event.meta.call_id === body.call_id);
    const cancel = {
      meta: metaAfter(meta, Date.now()),
      principal: { kind: 'user' as const, id: 'admin', roles: ['admin'] },
      reason: null,
      requested_at_ms: Date.now(),
    };
    const value = gateway.deps.codec.encode('tool_call_cancel_requested', cancel);
    const headers = { event_type: 'tool_call_cancel_requested' };
    await gateway.log.append([{ topic: 'tool-call-requested', partition: meta.partition, key: null, value, headers }]);
    const statusOf = 'SELECT status FROM calls WHERE call_uuid = $1::uuid';
    await until(async () => {
      const [row] = await gateway.deps.store.query<{ status: string }>({ text: statusOf, params: [body.call_id.slice(2)] });
      return row?.status === 'cancelled';
    });
  });
  await until(async () => !(await owed(body.call_id)));
  expect(got.get('/nobody')).toHaveLength(1);
});

describe('after the database was emptied', () => {
  const emptied = async () => {
    await gateway.deps.store.query({ text: 'DELETE FROM callbacks_owed', params: [] });
    await gateway.deps.store.query({ text: 'DELETE FROM callbacks_kept', params: [] });
  };
  const untilReportedOrForgotten = (callId: string) => until(async () => !(await owed(callId)));

  test('the callback of a call that ended before is sent once, under the same id', async () => {
    status = 503;
    const { body } = await ask('write_note', '/emptied');
    await until(() => got.get('/emptied'));
    await gateway.restart(async () => {
      await emptied();
      status = 204;
    });
    const before = got.get('/emptied')?.length as number;
    await untilReportedOrForgotten(body.call_id);
    expect(got.get('/emptied')?.length).toBeGreaterThanOrEqual(Math.max(2, before));
    expect(new Set(got.get('/emptied')).size).toBe(1);
    const sent = got.get('/emptied')?.length;
    await gateway.restart();
    expect(await owed(body.call_id)).toBe(false);
    expect(got.get('/emptied')).toHaveLength(sent as number);
  });

  test('the callback of a pending call is sent when it ends', async () => {
    status = 204;
    const { body } = await ask('ask_first', '/waits');
    await gateway.restart(emptied);
    expect(await owed(body.call_id)).toBe(true);
    expect((await gateway.send('POST', `/v1/calls/${body.call_id}/cancel`, {})).status).toBeLessThan(300);
    await untilReportedOrForgotten(body.call_id);
    expect(got.get('/waits')).toHaveLength(1);
  });

  test('the callback of a call that ended long ago is not sent', async () => {
    status = 503;
    const { body } = await ask('write_note', '/old');
    await until(() => got.get('/old'));
    const { clock } = gateway.deps;
    const later = { ...clock, now_ms: () => Date.now() + 2 * 86_400_000, monotonic_ms: () => clock.monotonic_ms() };
    let before = 0;
    await gateway.restart(async () => {
      await emptied();
      before = got.get('/old')?.length as number;
      status = 204;
      Object.assign(gateway.deps, { clock: later });
    });
    await untilReportedOrForgotten(body.call_id);
    expect(got.get('/old')).toHaveLength(before);
    await gateway.restart(async () => void Object.assign(gateway.deps, { clock }));
    expect(got.get('/old')).toHaveLength(before);
  });
});

test('callbacks of calls that ended before the retry window, or over a day ago, are not sent', () => {
  const now_ms = 1_000_000_000_000;
  const tried_ms = (1 + 5 + 30 + 120 + 600 + 6 * 10) * 1000;
  expect(undeliveredSince(now_ms, now_ms)).toBe(now_ms - tried_ms);
  expect(undeliveredSince(now_ms - 3_600_000, now_ms)).toBe(now_ms - 3_600_000 - tried_ms);
  expect(undeliveredSince(now_ms - 90 * 86_400_000, now_ms)).toBe(now_ms - 86_400_000);
  expect(undeliveredSince(0, now_ms)).toBe(now_ms - 86_400_000);
});

test('a refused call has no callback', async () => {
  expect((await gateway.send('PUT', '/v1/tenants/default', { in_flight_max: 1 })).status).toBe(200);
  const held = gateway.call('unruled', {}, { prefer: 'wait=0' });
  await until(async () => (await ask('write_note', `/refused-${Math.random()}`)).status === 429);
  await until(async () => (await owedCallbacks(gateway.deps.store)).length === 0);
  await held;
});
