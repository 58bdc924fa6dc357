import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sha256Hex } from '@countersign/contracts';
import { verifyBundle } from '@countersign/evidence';
import { isConsistent, openCheckpoint, parseVkey } from '@countersign/proofs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from './api.js';
import { DistributedPlatform, realParts } from './distributed-platform.js';

/** Two lanes with one projector each, and no folder that two services share. */
let platform: DistributedPlatform;
let auditor: Api;
let agent: Api;

beforeAll(async () => {
  platform = await DistributedPlatform.create({ COUNTERSIGN_LANES: 'shared,acme' });
  const own = (name: string, more = {}) => ({ COUNTERSIGN_DATA_DIR: path.join(platform.dir, name), ...more });
  for (const lane of ['shared', 'acme']) {
    await platform.add(
      `projector-${lane}`,
      'projector',
      own(`projector-${lane}`, { COUNTERSIGN_LANES: lane, COUNTERSIGN_EXPORTS: 'audit-view' }),
    );
  }
  await platform.add('policy', 'policy', own('policy'));
  await platform.add('executor', 'executor', own('executor'));
  await platform.add('gateway', 'gateway');
  await platform.ready();
  const admin = platform.admin();
  await admin.request('POST', '/v1/tenants', { tenant_id: 'acme', lane: 'acme' });
  auditor = await admin.keyFor('user', 'audra', ['auditor'], 'acme');
  agent = await admin.keyFor('agent', 'bot', ['agent'], 'acme');
});
afterAll(() => platform.close(), 60_000);

interface Item {
  event_id: string;
  type: string;
  topic: string;
  caller: string;
}

async function covered<T>(path: string): Promise<T> {
  for (const end = performance.now() + 20_000; performance.now() < end; await sleep(200)) {
    const { status, body } = await auditor.request<T>('GET', path);
    if (status === 200) return body;
    if (status !== 503) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  }
  throw new Error(`no checkpoint covered ${path}`);
}

async function checkpoint() {
  const { body, headers } = await auditor.request<string>('GET', '/v1/audit/checkpoint');
  return openCheckpoint(body, parseVkey(headers.get('countersign-vkey') as string) as never);
}

describe('audit on Kafka, Postgres and a bucket', () => {
  let call_id: string;
  let items: Item[];

  test("events of a call in another projector's lane are listed, found by id, and proven under the one signer", async () => {
    const { body: call } = await agent.call({ tool: 'write_file', inputs: { path: 'a.txt', content: 'x', mode: 'create' } });
    call_id = call.call_id;
    const { body } = await auditor.request<{ items: Item[] }>('GET', `/v1/audit/events?call_id=${call_id}`);
    items = body.items;
    expect(items.map(({ type }) => type)).toEqual(['tool_call_requested', 'policy_decided', 'tool_call_started', 'tool_executed']);
    expect(items.every(({ topic, caller }) => topic.endsWith('.acme') && caller === 'agent:bot')).toBe(true);
    for (const { event_id } of items) {
      const proven = await covered<{ event_type: string; proof: unknown }>(`/v1/audit/proof?event_id=${event_id}`);
      expect(proven.proof).toBeDefined();
    }
  });

  test('the bundle of the call verifies offline, and a later checkpoint only appends to an earlier one', async () => {
    const before = await checkpoint();
    const bundle = await covered<Parameters<typeof verifyBundle>[0] & { vkey: string }>(`/v1/audit/bundle?call_id=${call_id}`);
    expect(verifyBundle(bundle, { log: parseVkey(bundle.vkey) as never, witnesses: [] }).kind).toBe('verified');
    await agent.call({ tool: 'write_file', inputs: { path: 'b.txt', content: 'x', mode: 'create' } });
    let after = await checkpoint();
    for (const end = performance.now() + 30_000; after?.size === before?.size && performance.now() < end; await sleep(100))
      after = await checkpoint();
    expect(after?.size).toBeGreaterThan(before?.size ?? 0);
    const { body } = await auditor.request<{ path: string[]; checkpoint: string }>('GET', `/v1/audit/consistency?first=${before?.size}`);
    const hashes = body.path.map((hash) => Buffer.from(hash, 'base64'));
    expect(isConsistent(before as never, openCheckpoint(body.checkpoint, parseVkey(bundle.vkey) as never) as never, hashes)).toBe(true);
  });

  test('the digest of an export is tied to the record', async () => {
    const answer = await fetch(`${platform.base}/v1/audit/export?type=tool_executed`, {
      headers: { authorization: `Bearer ${auditor.key}` },
    });
    const file = await answer.text();
    expect(file.trim().split('\n').length).toBe(2);
    const { body } = await auditor.request<{ event: { sha256: string } }>(
      'GET',
      `/v1/audit/events/${answer.headers.get('countersign-export')}`,
    );
    expect(body.event.sha256).toBe(sha256Hex(file));
  });

  test('the example consumer reads the CloudEvents without code of this repository', async () => {
    const parts = realParts();
    const { stdout } = await promisify(execFile)(process.execPath, ['examples/analytics/consume.mjs'], {
      env: {
        PATH: process.env.PATH ?? '',
        KAFKA_BROKERS: parts.COUNTERSIGN_TEST_KAFKA,
        SCHEMA_REGISTRY_URL: parts.COUNTERSIGN_TEST_REGISTRY,
        TOPIC: `${platform.prefix}audit-view`,
      },
      timeout: 40_000,
    });
    expect((JSON.parse(stdout) as Record<string, unknown>).write_file).toEqual({ requested: 2, ended: 2 });
  });

  test('the signer dies: the other projector takes over and covers new records, from the tiles in the bucket', async () => {
    await platform.member('projector-shared').stop('SIGKILL');
    const { body: call } = await agent.call({ tool: 'write_file', inputs: { path: 'c.txt', content: 'x', mode: 'create' } });
    const bundle = await covered<Parameters<typeof verifyBundle>[0] & { vkey: string }>(`/v1/audit/bundle?call_id=${call.call_id}`);
    expect(verifyBundle(bundle, { log: parseVkey(bundle.vkey) as never, witnesses: [] }).kind).toBe('verified');
  });
});
