import { link, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { effectOf } from '@countersign/tool-kit/test-context';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ScratchWorkspace } from '../scratch-workspace.js';
import { moveFile } from './move-file.js';

let scratch: ScratchWorkspace;
beforeEach(async () => {
  scratch = new ScratchWorkspace();
  await scratch.fill({ 'a.txt': 'A', 'b.txt': 'B' });
});
afterEach(() => scratch.remove());
const input = { source: 'a.txt', destination: 'to/c.txt' } as never;
const at = (path: string) => join(scratch.root, path);

test('an existing destination is never replaced, even if it is the same file', async () => {
  const before = scratch.snapshot();
  for (const destination of ['b.txt', 'a.txt']) {
    await expect(moveFile.run({ source: 'a.txt', destination } as never, scratch.context())).rejects.toMatchObject({
      more: { details: { path: '/destination', reason: 'exists' }, effect: 'none' },
    });
  }
  expect(scratch.snapshot()).toEqual(before);
});

test('of 20 concurrent moves to one place one wins and no content is lost', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, n) => writeFile(at(`s${n}`), `${n}`)));
  const moves = Array.from({ length: 20 }, (_, n) => moveFile.run({ source: `s${n}`, destination: 'one' } as never, scratch.context()));
  const outcomes = await Promise.allSettled(moves);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(Object.keys(scratch.snapshot()).filter((path) => /^s\d/.test(path))).toHaveLength(19);
});

test('of concurrent moves of one file to many places one wins, and the file has one name', async () => {
  for (let round = 0; round < 5; round++) {
    await writeFile(at('one'), `${round}`);
    const moves = Array.from({ length: 10 }, (_, n) =>
      moveFile.run({ source: 'one', destination: `${round}-${n}` } as never, scratch.context()),
    );
    const outcomes = await Promise.allSettled(moves);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ more: { effect: 'none' } });
    expect(Object.keys(scratch.snapshot()).filter((path) => path === 'one' || path.startsWith(`${round}-`))).toHaveLength(1);
  }
});

test('a move interrupted between its two steps is completed by the next run of its key', async () => {
  const ctx = scratch.context();
  const output = await moveFile.run(input, ctx);
  await link(at('to/c.txt'), at('a.txt'));
  expect(await moveFile.reconcile?.(input, ctx)).toEqual({ kind: 'did_not_happen' });
  expect(await moveFile.run(input, ctx)).toEqual(output);
  expect(Object.keys(scratch.snapshot()).sort()).toEqual(['b.txt', 'to/c.txt']);
  expect(await moveFile.reconcile?.(input, ctx)).toEqual({ kind: 'happened', output });
});

test('an undo moves the file back; if another file is at the destination nothing is done', async () => {
  const ctx = scratch.context();
  const output = await moveFile.run(input, ctx);
  await moveFile.compensate?.(effectOf(moveFile, input, output, ctx), scratch.context());
  expect(await readFile(at('a.txt'), 'utf8')).toBe('A');
  await mkdir(at('to'), { recursive: true });
  const other = scratch.context();
  await moveFile.run(input, other);
  await moveFile.run({ source: 'to/c.txt', destination: 'd.txt' } as never, scratch.context());
  await writeFile(at('to/c.txt'), 'another');
  await expect(moveFile.compensate?.(effectOf(moveFile, input, output, other), scratch.context())).rejects.toMatchObject({
    more: { details: { reason: 'replaced' } },
  });
  expect(await readFile(at('to/c.txt'), 'utf8')).toBe('another');
});
