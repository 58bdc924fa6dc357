import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PgliteStore } from '../pglite/pglite-store.js';
import { FileRows } from './file-rows.js';
import { MemoryRows } from './memory-rows.js';
import type { SealedRows } from './sealed-rows.js';
import { SqlRows } from './sql-rows.js';
import { Vault } from './vault.js';
import { WrappingKeyFile } from './wrapping-key-file.js';
import { KnownWrappingKeys } from './wrapping-keys.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'countersign-vault-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

const VALUE = 'hunter2-hunter2';
const rowsFile = () => join(dir, 'secrets.sealed');
const keyFile = () => join(dir, 'secret-keys.json');
const opened = async () => new Vault(await FileRows.open(rowsFile()), await WrappingKeyFile.open(keyFile()));
const workspace = { tenant_id: 'acme', scope: 'workspace' as const, owner: '', name: 'api' };
const terms = { now_ms: 10, expires_at_ms: null, must_exist: false };
const who = { tenant_id: 'acme', user_id: 'ann', name: 'api' };

test.each<[string, () => Promise<{ rows: SealedRows; close: () => Promise<void> }>]>([
  ['memory', async () => ({ rows: new MemoryRows(), close: async () => undefined })],
  ['file', async () => ({ rows: await FileRows.open(rowsFile()), close: async () => undefined })],
  [
    'sql',
    async () => {
      const store = await PgliteStore.open({ memory: true });
      return { rows: new SqlRows(store), close: () => store.close() };
    },
  ],
])('%s: the nearest scope counts, versions rise, nothing resolves for others, a removed one falls back', async (_name, make) => {
  const { rows, close } = await make();
  const vault = new Vault(rows, new KnownWrappingKeys([['k', Buffer.alloc(32, 1)]]));
  const org = { tenant_id: '', scope: 'org' as const, owner: '', name: 'api' };
  const own = { ...workspace, scope: 'user' as const, owner: 'ann' };
  await vault.set(org, 'of the org', terms);
  expect(await vault.resolve(who, 20)).toMatchObject({ value: 'of the org', scope: 'org' });
  await vault.set(workspace, 'of the workspace', terms);
  expect((await vault.set(workspace, VALUE, terms))?.version).toBe(2);
  expect(await vault.resolve(who, 20)).toMatchObject({ value: VALUE, scope: 'workspace', version: 2 });
  await vault.set(own, 'of ann herself', { ...terms, expires_at_ms: 100 });
  expect(await vault.resolve(who, 20)).toMatchObject({ value: 'of ann herself', scope: 'user' });
  expect(await vault.resolve(who, 100)).toEqual({ missing: 'expired', scope: 'user' });
  expect(await vault.resolve({ ...who, user_id: 'bob' }, 20)).toMatchObject({ scope: 'workspace' });
  expect(await vault.resolve({ ...who, tenant_id: 'other' }, 20)).toMatchObject({ scope: 'org' });
  expect(await vault.tenantSecret({ ...who, tenant_id: 'other' }, 20)).toEqual({ missing: 'absent', scope: null });
  expect(await vault.tenantSecret(who, 20)).toMatchObject({ value: 'of ann herself', scope: 'user' });
  expect(await vault.resolve({ ...who, name: 'else' }, 20)).toEqual({ missing: 'absent', scope: null });
  expect(await vault.set({ ...workspace, name: 'none' }, VALUE, { ...terms, must_exist: true })).toBeUndefined();
  expect((await vault.list('acme')).map(({ scope, version }) => `${scope} ${version}`).sort()).toEqual(['user 1', 'workspace 2']);
  expect([await vault.remove(own), await vault.remove(own)]).toEqual([true, false]);
  expect(await vault.resolve(who, 200)).toMatchObject({ scope: 'workspace' });
  await rows.close();
  await close();
});

test('of two writers of one version one wins', async () => {
  const store = await PgliteStore.open({ memory: true });
  for (const rows of [new MemoryRows(), await FileRows.open(rowsFile()), new SqlRows(store)]) {
    const vault = new Vault(rows, new KnownWrappingKeys([['k', Buffer.alloc(32, 1)]]));
    const facts = await Promise.all([1, 2, 3, 4].map(() => vault.set(workspace, VALUE, terms)));
    expect(facts.filter((fact) => fact?.version === 1)).toHaveLength(1);
    await rows.close();
  }
  await store.close();
});

test('stored bytes are private and reveal nothing of a value; another start reads the value', async () => {
  const vault = await opened();
  await vault.set(workspace, VALUE, terms);
  const ref = await vault.seal('acme', { user_id: 'ann', text: 'a.user.token', expires_at_ms: 1000 }, 10);
  expect(await vault.seal('acme', { user_id: 'ann', text: 'a.user.token', expires_at_ms: 1000 }, 10)).toBe(ref);
  await vault.close();
  const text = await readFile(rowsFile(), 'utf8');
  for (const form of [VALUE, Buffer.from(VALUE).toString('base64'), 'a.user.token']) expect(text).not.toContain(form);
  expect(text.split('\n')).toHaveLength(3);
  expect([(await stat(rowsFile())).mode & 0o777, (await stat(keyFile())).mode & 0o777]).toEqual([0o600, 0o600]);
  const again = await opened();
  expect(await again.resolve(who, 20)).toMatchObject({ value: VALUE });
  expect(await again.token('acme', ref)).toMatchObject({ text: 'a.user.token', user_id: 'ann' });
  expect(await again.token('other', ref)).toBeUndefined();
  await again.close();
});

test('a torn last line is cut off, damage before it is refused, and a value cannot be opened in another place', async () => {
  const vault = await opened();
  await vault.set(workspace, VALUE, terms);
  await vault.close();
  await appendFile(rowsFile(), '0123456789abcdef {"put":{"kin');
  const again = await opened();
  expect(await again.resolve(who, 20)).toMatchObject({ value: VALUE });
  await again.set({ ...workspace, name: 'second' }, VALUE, terms);
  await again.close();
  expect((await (await opened()).list('acme')).map(({ name }) => name)).toEqual(['api', 'second']);
  const text = await readFile(rowsFile(), 'utf8');
  await writeFile(rowsFile(), text.replace('"version":1', '"version":7'));
  await expect(FileRows.open(rowsFile())).rejects.toThrow('damaged at line 1');
  const rows = new MemoryRows();
  const moved = new Vault(rows, new KnownWrappingKeys([['k', Buffer.alloc(32, 1)]]));
  await moved.set(workspace, VALUE, terms);
  const [row] = await rows.list('secret', 'acme');
  await rows.put({ ...row!, tenant_id: 'evil' });
  await expect(moved.resolve({ ...who, tenant_id: 'evil' }, 20)).rejects.toThrow();
});

test('keys are rotated while values are read and set; the old key opens no value that was wrapped again', async () => {
  const vault = await opened();
  for (let n = 0; n < 150; n++) await vault.set({ ...workspace, name: `s${n}` }, `${VALUE}-${n}`, terms);
  let reading = true;
  const reader = (async () => {
    for (let n = 0; reading; n = (n + 1) % 150) {
      expect(await vault.resolve({ ...who, name: `s${n}` }, 20)).toMatchObject({ value: expect.stringContaining(VALUE) });
      await new Promise((turn) => setImmediate(turn));
    }
  })();
  const writer = vault.set({ ...workspace, name: 's3' }, `${VALUE}-new`, terms);
  const done = await vault.rotate();
  await writer;
  reading = false;
  await reader;
  expect(done.key_id).toBe('k2');
  expect(done.rewrapped).toBeGreaterThanOrEqual(149);
  await vault.close();
  const kept = JSON.parse(await readFile(keyFile(), 'utf8')) as { keys: { id: string }[] };
  await writeFile(keyFile(), JSON.stringify({ keys: kept.keys.filter(({ id }) => id === 'k2') }));
  const again = await opened();
  expect(await again.resolve({ ...who, name: 's140' }, 20)).toMatchObject({ value: `${VALUE}-140` });
  expect(await again.resolve({ ...who, name: 's3' }, 20)).toMatchObject({ value: `${VALUE}-new`, version: 2 });
  await again.close();
});

test('keys of the environment: the first wraps, the others still unwrap', async () => {
  const rows = new MemoryRows();
  const [a, b] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')];
  await new Vault(rows, KnownWrappingKeys.fromText(`a:${a}`)).set(workspace, VALUE, terms);
  const both = new Vault(rows, KnownWrappingKeys.fromText(`b:${b}, a:${a}`));
  expect(await both.rotate()).toEqual({ key_id: 'b', rewrapped: 1 });
  expect(await new Vault(rows, KnownWrappingKeys.fromText(`b:${b}`)).resolve(who, 20)).toMatchObject({ value: VALUE });
  expect(() => KnownWrappingKeys.fromText('a:short')).toThrow();
});
