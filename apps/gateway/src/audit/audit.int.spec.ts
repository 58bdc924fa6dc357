import { Views } from '@countersign/calls';
import { SEALED } from '@countersign/contracts';
import { initialConfiguration, noDamage } from '@countersign/domain';
import { KnownDamage } from '@countersign/process';
import { HASH_BYTES } from '@countersign/proofs';
import { Module } from '@nestjs/common';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationService } from '../configuration/configuration.service.js';
import { FeatureApp } from '../testing/feature-app.js';
import { AuditModule } from './audit.module.js';
import type { AuditParts } from './audit-parts.js';
import { DamagesModule } from './damages.module.js';
import { SignedTrees } from './signed-trees.js';

const reads: string[] = [];
const record = {
  topic: 'tool-executed',
  partition: 0,
  offset: 3,
  timestamp_ms: 1,
  key: null,
  headers: { event_type: 'tool_executed' },
  value: Buffer.from('abc'),
};
const proof = {
  tree: { size: 4, path: ['aa'] },
  head: { index: 0, path: [] },
  entry: { number: 7, time_ms: 1, trees: 1, path: [] },
  checkpoint: 'note',
};
/** What the proofs of this record and of the first checkpoint lack. */
const WRONG = 'the leaf of tool-executed/0/13 is not in the signed tree';
const parts = {
  evidence: {
    signer: { verifier: { vkey: 'vkey' } },
    tiles: { read: async () => Buffer.alloc(2 * HASH_BYTES, 7) },
    cosigned: {
      asks: false,
      checksHeads: false,
      newest: async () => undefined,
      add: async () => ({ refused: 'the note is not a checkpoint' }),
    },
  },
  proofs: {
    checkpoint: async () => 'note',
    consistency: async (first: number) => (first === 13 ? WRONG : undefined),
    prove: async ({ offset }: typeof record) => (offset === 13 ? { kind: 'broken', reason: WRONG } : { kind: 'proof', proof }),
  },
  entries: { heads: async () => ({ kind: 'not_found' }), entries: async () => ({ kind: 'broken', reason: 'a tile is missing' }) },
  events: {
    find: async (_: string, event_id: string) => (event_id === 'none' ? undefined : { ...record, event_id }),
    window: async () => undefined,
    describe: async ({ event_id }: { event_id: string }) => ({
      audit: { event_id, time: '2026-11-27T09:00:00.000Z' },
      event: { call: { inputs_json: event_id === 'personal' ? `{"name":"${SEALED}:abc"}` : '{}' } },
    }),
  },
  records: {
    read: async (tenant_id: string, { offset }: { offset: number }) => (tenant_id === 'acme' ? { ...record, offset } : undefined),
  },
  reads: {
    record: async ({ what, items }: { what: string; items: number }) => void reads.push(`${what} ${items}`),
    count: async (_: object, { what, items }: { what: string; items: number }) => void reads.push(`${what} ${items} in a range`),
    close: async () => undefined,
  },
  exports: { open: async () => 'not_covered' },
  bundles: {},
} as unknown as AuditParts;

@Module({ imports: [AuditModule.of(parts), DamagesModule] })
class AuditAndDamages {}

let app: FeatureApp;
beforeAll(async () => {
  const clock = { now_ms: () => 0 };
  app = await FeatureApp.open(AuditAndDamages, [
    { provide: ConfigurationService, useValue: { state: initialConfiguration(), clock } },
    { provide: Views, useValue: { current: async () => true } },
    { provide: KnownDamage, useValue: { state: noDamage() } },
    { provide: SignedTrees, useValue: new SignedTrees({ first: async () => 0 }) },
  ]);
});
afterAll(() => app.close());
const get = (path: string, roles = 'auditor') => app.send('GET', `/v1/audit/${path}`, { role: roles });

test('every route of the audit requires the role auditor', async () => {
  for (const path of [
    'checkpoint',
    'consistency?first=1',
    'tile/checkpoints/0/000',
    'proof',
    'bundle',
    'heads',
    'entries',
    'leaves',
    'events',
    'export',
  ]) {
    expect([path, (await get(path, '')).status, (await get(path, 'operator')).status]).toEqual([path, 401, 403]);
  }
});

test('a checkpoint and a tile are returned byte for byte, with their media types', async () => {
  const checkpoint = await get('checkpoint');
  expect([checkpoint.text, checkpoint.headers['content-type'], checkpoint.headers['countersign-vkey']]).toEqual([
    'note',
    'text/plain; charset=utf-8',
    'vkey',
  ]);
  const tile = await get('tile/tool-executed/0/0/000.p/2');
  expect([tile.status, tile.headers['content-type'], tile.headers['content-length']]).toEqual([200, 'application/octet-stream', '64']);
  expect((await get('tile/tool-executed/0/0/000.p/3')).status).toBe(404);
  const never = await get('checkpoint?cosigned=true');
  expect([never.status, never.body.validation.issues[0].code]).toEqual([409, 'no_witnesses']);
});

test('a record is proven with the signing key, and the read is recorded', async () => {
  const answer = await get('proof?topic=tool-executed&partition=0&offset=3');
  expect(answer.body).toEqual({
    record: { ...record, value: Buffer.from('abc').toString('base64') },
    event_type: 'tool_executed',
    stream: 'tool-executed',
    proof,
    vkey: 'vkey',
  });
  expect(reads).toEqual(['proof 1 in a range']);
  expect((await get('proof?topic=tool-executed&partition=x&offset=3')).body.validation.issues[0].path).toBe('/partition');
  expect((await get('proof?topic=tool-executed')).body.detail).toBe('send event_id, or topic, partition and offset');
});

test('an event that opens personal values is recorded as one read; another one is counted in a range', async () => {
  const before = reads.length;
  for (const event_id of ['personal', 'plain', 'none', 'personal']) await get(`events/${event_id}`);
  expect(reads.slice(before)).toEqual(['event 1', 'event 1 in a range', 'event 1']);
});

test('an unknown, an uncovered and an unproven record each have their own status', async () => {
  const statuses = [
    'consistency?first=9',
    'heads',
    'entries?first=0',
    'events?call_id=x',
    'export',
    'events?cursor=x',
    'export?format=pdf',
  ];
  expect(await Promise.all(statuses.map(async (path) => (await get(path)).status))).toEqual([404, 404, 409, 404, 503, 400, 400]);
  const entries = await get('entries?first=2&second=2');
  expect([entries.status, entries.body.validation.issues[0].path]).toEqual([400, '/second']);
  const note = await app.send('POST', '/v1/audit/cosignatures', { role: 'auditor', body: { note: 'x' } });
  expect([note.status, note.body.detail]).toEqual([409, 'the note is not a checkpoint']);
});

test('a record or checkpoint that cannot be proven answers 409 with what is wrong, and is not recorded as a read', async () => {
  const before = reads.length;
  for (const path of ['proof?topic=tool-executed&partition=0&offset=13', 'consistency?first=13']) {
    const { status, body } = await get(path);
    expect([path, status, body.reason, body.detail]).toEqual([path, 409, 'proof_broken', expect.stringContaining(WRONG)]);
  }
  expect(reads.length).toBe(before);
});

test('operators and auditors see damage; only an operator accepts it, and only open damage', async () => {
  expect((await app.send('GET', '/v1/damages', { role: 'auditor' })).body).toEqual({ items: [], next_cursor: null });
  const body = { damage_ids: ['0198f3a0-0000-7000-8000-000000000000'], reason: 'restored' };
  expect((await app.send('POST', '/v1/damages/accept', { role: 'auditor', body })).status).toBe(403);
  expect((await app.send('POST', '/v1/damages/accept', { role: 'operator', body: { ...body, reason: ' ' } })).status).toBe(400);
  expect((await app.send('POST', '/v1/damages/accept', { role: 'operator', body })).status).toBe(409);
});
