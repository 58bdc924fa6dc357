import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileSubjectKeys } from './file-subject-keys.js';

const place = (subject: string, period = '2026-11') => ({ tenant_id: 'acme', subject, markings: '', period });

describe('the file of subject keys', () => {
  const wrapping_key = randomBytes(32);
  let dir: string;
  let file: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'subject-keys-'));
    file = path.join(dir, 'subject-keys.bin');
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  test('an issued key is found again; a destroyed key is nowhere in the file, and its place gets a new key', async () => {
    const keys = await FileSubjectKeys.open(file, wrapping_key);
    const [a, b] = await keys.current([place('a'), place('b')], 1);
    expect((await keys.current([place('a')], 2))[0]?.key_id).toBe(a?.key_id);
    await keys.close();
    const again = await FileSubjectKeys.open(file, wrapping_key);
    expect((await again.get('acme', [a?.key_id as string])).get(a?.key_id as string)).toEqual(a?.key);
    expect(await again.get('other', [a?.key_id as string])).toEqual(new Map());
    expect(await again.destroy('acme', await again.ofSubject('acme', 'a'))).toBe(1);
    expect(await readFile(file, 'utf8')).not.toContain(a?.key_id as string);
    const [next] = await again.current([place('a')], 3);
    expect(next?.key_id).not.toBe(a?.key_id);
    await again.close();
    const last = await FileSubjectKeys.open(file, wrapping_key);
    const live = await last.get('acme', [a?.key_id as string, b?.key_id as string, next?.key_id as string]);
    expect([...live.keys()].sort()).toEqual([b?.key_id, next?.key_id].sort());
    expect((await readFile(file)).length).toBe(2 * 1024);
    await last.close();
  });

  test('concurrent requests get one key for each place, and keys can be destroyed by month', async () => {
    const keys = await FileSubjectKeys.open(file, wrapping_key);
    const made = await Promise.all(Array.from({ length: 50 }, (_, at) => keys.current([place(`s${at % 5}`), place('x', '2026-03')], at)));
    expect(new Set(made.flat().map(({ key_id }) => key_id)).size).toBe(6);
    expect(await keys.destroyBefore('acme', '', '2026-04')).toBe(1);
    expect(await keys.periods('acme')).toEqual([{ markings: '', period: '2026-11', keys: 5 }]);
    await keys.close();
  });

  test('a torn last record was never issued, a torn overwrite counts as destroyed, and other damage is refused', async () => {
    const keys = await FileSubjectKeys.open(file, wrapping_key);
    await keys.current([place('a'), place('b')], 1);
    await keys.close();
    await appendFile(file, 'half a rec');
    const handle = await open(file, 'r+');
    await handle.write(Buffer.alloc(512, ' '), 0, 512, 512);
    await handle.write(Buffer.alloc(200, ' '), 0, 200, 0);
    await handle.close();
    const torn = await FileSubjectKeys.open(file, wrapping_key);
    expect(await torn.ofSubject('acme', 'a')).toEqual([]);
    expect(await torn.ofSubject('acme', 'b')).toHaveLength(1);
    await torn.close();
    const damaged = await open(file, 'r+');
    await damaged.write(Buffer.from('#'), 0, 1, 1024 + 40);
    await damaged.close();
    await expect(FileSubjectKeys.open(file, wrapping_key)).rejects.toThrow('record 1 is damaged');
  });
});
