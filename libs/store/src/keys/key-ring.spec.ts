import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tenantKey } from '@countersign/contracts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeyRing } from './key-ring.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'countersign-keys-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

test("a tenant's key is the HKDF of the master key: the same object each time, and different for each tenant", () => {
  const master = Buffer.alloc(32, 7);
  const ring = KeyRing.fromText(master.toString('base64'));
  expect(ring.tenantKey('acme')).toEqual(tenantKey(master, 'acme'));
  expect(ring.tenantKey('acme')).toBe(ring.tenantKey('acme'));
  expect(ring.tenantKey('other')).not.toEqual(ring.tenantKey('acme'));
});

test('names of tenants beyond the bound push the oldest key out of memory, and its tenant gets the same key again', () => {
  const ring = KeyRing.fromText(Buffer.alloc(32, 7).toString('base64'), 3);
  const first = ring.tenantKey('acme');
  for (const made_up of ['a', 'b', 'c']) ring.tenantKey(made_up);
  expect(ring.tenantKey('acme')).not.toBe(first);
  expect(ring.tenantKey('acme')).toEqual(first);
});

test('a master key of another length is refused', () => {
  expect(() => KeyRing.fromText(Buffer.alloc(31).toString('base64'))).toThrow('32 bytes');
});

test('the key file is created once with private permissions and gives the same keys after a restart', async () => {
  const file = join(dir, 'data', 'keys.json');
  const first = await KeyRing.fromFile(file);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const again = await KeyRing.fromFile(file);
  expect(again.tenantKey('acme')).toEqual(first.tenantKey('acme'));
});

test('processes that start together share one key file and leave no other files', async () => {
  const file = join(dir, 'keys.json');
  const rings = await Promise.all(Array.from({ length: 8 }, () => KeyRing.fromFile(file)));
  expect(new Set(rings.map((ring) => ring.tenantKey('acme').toString('hex'))).size).toBe(1);
  expect(await readdir(dir)).toEqual(['keys.json']);
});

test('a damaged key file is refused and never replaced', async () => {
  const file = join(dir, 'keys.json');
  await writeFile(file, '{"master_key": "c2hvcnQ="}');
  await expect(KeyRing.fromFile(file)).rejects.toThrow('is damaged');
  expect(await readFile(file, 'utf8')).toBe('{"master_key": "c2hvcnQ="}');
});

test('each purpose has its own seed, which is the same after a restart', () => {
  const ring = KeyRing.fromText(Buffer.alloc(32, 5).toString('base64'));
  expect(ring.seed('audit')).toEqual(KeyRing.fromText(Buffer.alloc(32, 5).toString('base64')).seed('audit'));
  expect(ring.seed('audit')).not.toEqual(ring.seed('other'));
  expect(ring.seed('tenant/acme')).toHaveLength(32);
});
