import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleContract } from '@countersign/calls/testing/samples';
import { StandIn, usualScript } from '@countersign/calls/testing/stand-ins';
import { EventCodec } from '@countersign/contracts';
import { EmbeddedEventLog } from '@countersign/event-log';
import { type AppDeps, createLogger, systemClock, topicSpecs } from '@countersign/process';
import { InProcessWakeUps, KeyRing, PgliteStore, Vault } from '@countersign/store';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from './start-gateway.js';

let dir: string;
let log: EmbeddedEventLog;
let store: PgliteStore;
let standIn: StandIn;
let gateways: RunningGateway[];
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'countersign-two-'));
  log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), fsync: 'none' });
  await log.ensureTopics(topicSpecs(['shared'], 4));
  store = await PgliteStore.open({ memory: true });
  Object.defineProperty(store, 'durable', { value: true });
  const codec = new EventCodec();
  const keys = KeyRing.fromText(Buffer.alloc(32, 7).toString('base64'));
  standIn = new StandIn(log, codec, usualScript);
  await standIn.start();
  for (const name of ['unruled', 'write_note']) await standIn.register(sampleContract({ name }));
  const wake_ups = new InProcessWakeUps();
  const start = (n: number) => {
    const shared = { clock: systemClock, logger: createLogger('gateway', 'silent'), metrics: new Registry(), tracing: false };
    const deps = { log, store, codec, keys, wake_ups, vault: Vault.inMemory(), ...shared } as unknown as AppDeps;
    const data_dir = path.join(dir, n < 2 ? 'shared' : `own-${n}`);
    return startGateway(deps, { host: '127.0.0.1', port: 0, callback_allow_private: true, lanes: ['shared'], data_dir });
  };
  gateways = await Promise.all([0, 1, 2, 3].map(start));
}, 60_000);
afterAll(async () => {
  for (const gateway of gateways ?? []) await gateway.close();
  await standIn.close();
  await store.close();
  await log.close();
  await rm(dir, { recursive: true, force: true });
});

async function ask(gateway: RunningGateway, key: string, method: string, url: string, body?: unknown) {
  const response = await fetch(`http://127.0.0.1:${gateway.port}${url}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), prefer: 'wait=0' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}

async function until(holds: () => Promise<boolean>, within_ms: number): Promise<void> {
  for (const end = Date.now() + within_ms; !(await holds()); await sleep(20)) expect(Date.now()).toBeLessThan(end);
}

const adminKey = (): string => gateways.map(({ admin_key }) => admin_key).find((key) => key !== undefined) as string;

test('of gateways that start together for the first time one creates the admin key and the person you, and all of them know both', async () => {
  expect(gateways.filter(({ admin_key }) => admin_key !== undefined)).toHaveLength(1);
  for (const gateway of gateways) {
    const keys = (await ask(gateway, adminKey(), 'GET', '/v1/keys')).body.items as { principal: { id: string } }[];
    expect(keys.map(({ principal }) => principal.id)).toEqual(['admin', 'you']);
  }
  const kept = (
    await Promise.all((await readdir(dir)).filter((name) => name !== 'log').map((name) => readdir(path.join(dir, name))))
  ).flat();
  expect(kept).toEqual(['admin.key']);
});

test('a new key works at every gateway once its creation is confirmed, and a revoked one at none', async () => {
  const [first] = gateways as [RunningGateway];
  const made = await ask(first, adminKey(), 'POST', '/v1/keys', { principal: { kind: 'user', id: 'soon-gone', roles: ['operator'] } });
  const key = made.body.key as string;
  const statuses = () => Promise.all(gateways.map(async (gateway) => (await ask(gateway, key, 'GET', '/v1/tools')).status));
  expect(await statuses()).toEqual(gateways.map(() => 200));
  expect((await ask(first, adminKey(), 'DELETE', `/v1/keys/${made.body.key_id}`)).status).toBe(204);
  expect(await statuses()).toEqual(gateways.map(() => 401));
}, 30_000);

test("a tenant's cap on calls in flight counts the calls of all gateways", async () => {
  const [first, second] = gateways as [RunningGateway, RunningGateway];
  expect((await ask(first, adminKey(), 'PUT', '/v1/tenants/default', { in_flight_max: 6 })).status).toBe(200);
  let serial = 0;
  const call = (gateway: RunningGateway, tool: string) =>
    ask(gateway, adminKey(), 'POST', '/v1/calls', { tool, inputs: { path: `p${serial++}`, text: 'x' } });
  const recorded = async () => {
    const heads = await Promise.all([0, 1, 2, 3].map((partition) => log.head('tool-call-requested', partition)));
    return heads.reduce((sum, head) => sum + head);
  };
  // They stay in flight for 5 s; the other gateway sees only the requested one.
  const before = await recorded();
  const open = Array.from({ length: 6 }, () => call(first, 'unruled'));
  await until(async () => (await recorded()) === before + 6, 4_000);
  await until(async () => (await call(second, 'write_note')).status === 429, 4_000);
  await Promise.all(open);
}, 30_000);
