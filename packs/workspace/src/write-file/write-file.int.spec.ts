import { appendFile, chmod, link, open, readdir, readFile, rename, stat, unlink, writeFile as write } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ScratchWorkspace } from '../scratch-workspace.js';
import { writeFile } from './write-file.js';

let scratch: ScratchWorkspace;
beforeEach(async () => {
  scratch = new ScratchWorkspace();
  await scratch.fill({ 'a.txt': 'old\n' });
});
afterEach(() => scratch.remove());

const at = (path: string) => join(scratch.root, path);
const input = (mode: string, content = 'new\n') => ({ path: 'a.txt', content, mode }) as never;
const aborted = () => AbortSignal.abort();

test('create refuses an existing file and keeps it; overwrite replaces the content and keeps the permissions', async () => {
  await expect(writeFile.run(input('create'), scratch.context())).rejects.toMatchObject({
    more: { details: { reason: 'exists' }, effect: 'none' },
  });
  expect(await readFile(at('a.txt'), 'utf8')).toBe('old\n');
  await chmod(at('a.txt'), 0o755);
  await writeFile.run(input('overwrite'), scratch.context());
  expect(await readFile(at('a.txt'), 'utf8')).toBe('new\n');
  expect((await stat(at('a.txt'))).mode & 0o777).toBe(0o755);
});

test('of 30 concurrent creates of one path one wins, the others change nothing', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, (_, n) => writeFile.run({ path: 'race.txt', content: `${n}`, mode: 'create' } as never, scratch.context())),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ more: { effect: 'none' } });
});

test('50 concurrent appends lose nothing', async () => {
  await Promise.all(Array.from({ length: 50 }, (_, n) => writeFile.run(input('append', `line ${n}\n`), scratch.context())));
  const lines = (await readFile(at('a.txt'), 'utf8')).split('\n');
  expect(new Set(lines).size).toBe(52);
});

test.each(['append', 'overwrite'])('of 30 concurrent writes (%s) of a new file none fails, and nothing appended is lost', async (mode) => {
  for (let round = 0; round < 5; round++) {
    const path = `new-${round}.txt`;
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, n) => writeFile.run({ path, content: `line ${n}\n`, mode } as never, scratch.context())),
    );
    const made = outcomes.filter((outcome) => (outcome as { created: boolean }).created);
    expect(made).toHaveLength(1);
    const lines = (await readFile(at(path), 'utf8')).split('\n').filter(Boolean);
    expect(new Set(lines).size).toBe(mode === 'append' ? 30 : 1);
  }
  expect(await readdir(at('.countersign-trash/staging'))).toEqual([]);
});

test('an append to a file that is deleted at the same time creates it again', async () => {
  for (let round = 0; round < 20; round++) {
    await write(at('a.txt'), 'old\n');
    const appended = writeFile.run(input('append', `${round}\n`), scratch.context());
    await Promise.all([appended, unlink(at('a.txt'))]);
    expect(await appended).toMatchObject({ mode: 'append', bytes_written: `${round}\n`.length });
  }
});

test.each(['append', 'overwrite'])('%s to a file that keeps coming and going is written, or may be tried again', async (mode) => {
  let ended = false;
  const outcomes = Promise.allSettled(Array.from({ length: 40 }, (_, n) => writeFile.run(input(mode, `${n}\n`), scratch.context())));
  void outcomes.then(() => {
    ended = true;
  });
  while (!ended) {
    await unlink(at('a.txt')).catch(() => undefined);
    await write(at('next.txt'), 'next\n');
    await rename(at('next.txt'), at('a.txt'));
  }
  for (const outcome of await outcomes)
    if (outcome.status === 'rejected')
      expect(outcome.reason).toMatchObject({
        code: 'PROVIDER_ERROR',
        more: { class: 'transient', retryable: true, effect: 'none', details: { path: '/path', reason: 'conflict' } },
      });
  expect(await readdir(at('.countersign-trash/staging'))).toEqual([]);
});

test('an append to a file with a second name, which may be outside of the workspace, is refused', async () => {
  await link(at('a.txt'), join(scratch.outside, 'second.txt'));
  await expect(writeFile.run(input('append'), scratch.context())).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    more: { effect: 'none', details: { reason: 'hard_link' } },
  });
  expect(await readFile(at('a.txt'), 'utf8')).toBe('old\n');
});

test('nothing is left in staging, neither after a write nor after a refused one', async () => {
  await writeFile.run(input('overwrite'), scratch.context());
  await writeFile.run({ path: 'b.txt', content: 'x', mode: 'create' } as never, scratch.context());
  await writeFile
    .run({ path: 'c.txt', content: 'x', mode: 'create' } as never, scratch.context({ signal: aborted() }))
    .catch(() => undefined);
  expect(await readdir(at('.countersign-trash/staging'))).toEqual([]);
});

describe.each(['overwrite', 'append', 'create'])('after a lost answer of %s', (mode) => {
  const input = () => ({ path: mode === 'create' ? 'new.txt' : 'a.txt', content: 'new\n', mode }) as never;

  test('the receipt shows that it happened, with the same output', async () => {
    const ctx = scratch.context();
    const output = await writeFile.run(input(), ctx);
    expect(await writeFile.reconcile?.(input(), ctx)).toEqual({ kind: 'happened', output });
  });

  test('an aborted write did not happen', async () => {
    const ctx = scratch.context({ signal: aborted() });
    await expect(writeFile.run(input(), ctx)).rejects.toMatchObject({ code: 'CANCELLED', more: { effect: 'none' } });
    expect(await writeFile.reconcile?.(input(), ctx)).toEqual({ kind: 'did_not_happen' });
    expect(scratch.snapshot()).toHaveProperty(['a.txt']);
  });

  test('the same content from another call is not confused with it', async () => {
    await writeFile.run(input(), scratch.context());
    expect(await writeFile.reconcile?.(input(), scratch.context())).toEqual({ kind: 'did_not_happen' });
  });
});

test('an overwrite that was itself overwritten later still happened', async () => {
  const ctx = scratch.context();
  const output = await writeFile.run(input('overwrite', 'first'), ctx);
  await writeFile.run(input('overwrite', 'second'), scratch.context());
  expect(await writeFile.reconcile?.(input('overwrite', 'first'), ctx)).toEqual({ kind: 'happened', output });
});

test('a write interrupted between its receipt and its change did not happen', async () => {
  const ctx = scratch.context();
  await writeFile.run(input('overwrite', 'first'), ctx);
  const shard = at(`.countersign-trash/receipts/${ctx.idempotency_key.slice(0, 2)}`);
  const receipt = JSON.parse(await readFile(join(shard, `${ctx.idempotency_key}.json`), 'utf8')) as { staged: string };
  await write(at(`.countersign-trash/staging/${receipt.staged}`), 'first');
  expect(await writeFile.reconcile?.(input('overwrite', 'first'), ctx)).toEqual({ kind: 'did_not_happen' });
});

describe('an append that the disk accepted only in part', () => {
  /** Makes the next write of any file accept exactly this many bytes. */
  async function oneShortWrite(bytes: number, andThen: () => Promise<void> = async () => undefined): Promise<void> {
    const handle = await open(at('a.txt'));
    const files = Object.getPrototypeOf(handle) as { write(data: Buffer): Promise<{ bytesWritten: number }> };
    await handle.close();
    const { write: whole } = files;
    vi.spyOn(files, 'write').mockImplementationOnce(async function (this: unknown, data) {
      const taken = await whole.call(this, data.subarray(0, bytes));
      await andThen();
      return taken;
    });
  }

  test('is reverted: the file is unchanged, and the write may be requested again', async () => {
    const ctx = scratch.context();
    await oneShortWrite(2);
    await expect(writeFile.run(input('append', 'much more'), ctx)).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
      more: { effect: 'none', retryable: true },
    });
    expect(await readFile(at('a.txt'), 'utf8')).toBe('old\n');
    expect(await writeFile.reconcile?.(input('append', 'much more'), ctx)).toEqual({ kind: 'did_not_happen' });
  });

  test('stays if another process appended after it: the outcome is unknown', async () => {
    const ctx = scratch.context();
    await oneShortWrite(2, () => appendFile(at('a.txt'), 'other\n'));
    await expect(writeFile.run(input('append', 'much more'), ctx)).rejects.toMatchObject({ more: { effect: 'unknown' } });
    expect(await readFile(at('a.txt'), 'utf8')).toBe('old\nmuother\n');
    expect(await writeFile.reconcile?.(input('append', 'much more'), ctx)).toMatchObject({ kind: 'cannot_tell' });
  });
});

test('an append whose file was replaced, or appended to after it, cannot be verified', async () => {
  const ctx = scratch.context();
  await writeFile.run(input('append'), ctx);
  await write(at('a.txt'), 'old\nother\n');
  expect(await writeFile.reconcile?.(input('append'), ctx)).toMatchObject({ kind: 'cannot_tell' });
  await writeFile.run(input('overwrite'), scratch.context());
  expect(await writeFile.reconcile?.(input('append'), ctx)).toMatchObject({ kind: 'cannot_tell' });
});
