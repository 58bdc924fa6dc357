import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { effectOf, laterAttempt } from '@countersign/tool-kit/test-context';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ScratchWorkspace } from '../scratch-workspace.js';
import { deleteFile } from './delete-file.js';

let scratch: ScratchWorkspace;
beforeEach(async () => {
  scratch = new ScratchWorkspace();
  await scratch.fill({ 'dir/a.txt': 'keep me' });
});
afterEach(() => scratch.remove());
const input = { path: 'dir/a.txt' } as never;
const undo = (output: unknown, ran: ReturnType<ScratchWorkspace['context']>) =>
  deleteFile.compensate?.(effectOf(deleteFile, input, output, ran), scratch.context());
const file = () => join(scratch.root, 'dir/a.txt');

test('a deletion waits for approval, and the tool can undo it', () => {
  expect(deleteFile.contract).toMatchObject({
    effect_class: 'commit_high',
    has_compensate: true,
    has_reconcile: true,
    reversibility: 'reversible',
  });
});

test('the content is kept where the description says, and an undo restores it as the description says', async () => {
  const { trash_id } = (await deleteFile.run(input, scratch.context())) as { trash_id: string };
  const { description } = deleteFile.contract;
  const place = /kept in (\S+);/.exec(description)?.[1]?.replace('<trash_id>', trash_id) as string;
  expect(await readFile(join(scratch.root, place), 'utf8')).toBe('keep me');
  expect(description).toContain('an undo of the call puts it back');
});

test('a restored file has its content, even if its folder was deleted', async () => {
  const ctx = scratch.context();
  const output = await deleteFile.run(input, ctx);
  expect(scratch.snapshot()).toEqual({});
  await undo(output, ctx);
  expect(await readFile(file(), 'utf8')).toBe('keep me');
});

test('a file that was created in its place meanwhile is not replaced by the restored one', async () => {
  const ctx = scratch.context();
  const output = await deleteFile.run(input, ctx);
  await writeFile(file(), 'newer');
  await expect(undo(output, ctx)).rejects.toMatchObject({
    more: { details: { reason: 'exists' }, effect: 'none' },
  });
  expect(await readFile(file(), 'utf8')).toBe('newer');
});

test('a second deletion of the same key after an undo can be undone again', async () => {
  const ctx = scratch.context();
  for (let round = 0; round < 2; round++) {
    const output = await deleteFile.run(input, ctx);
    expect(await deleteFile.reconcile?.(input, ctx)).toEqual({ kind: 'happened', output });
    await undo(output, ctx);
    expect(await readFile(file(), 'utf8')).toBe('keep me');
  }
});

test('a second attempt keeps what it deletes beside what the first one deleted, and each is undone separately', async () => {
  const first = scratch.context();
  const second = laterAttempt(first);
  const deleted = await deleteFile.run(input, first);
  await writeFile(file(), 'newer');
  expect(await deleteFile.reconcile?.(input, second)).toEqual({ kind: 'did_not_happen' });
  const deletedAgain = await deleteFile.run(input, second);
  expect([deleted, deletedAgain]).toMatchObject([{ trash_id: first.idempotency_key }, { trash_id: second.idempotency_key }]);
  await undo(deletedAgain, second);
  expect(await readFile(file(), 'utf8')).toBe('newer');
  await rm(file());
  await undo(deleted, first);
  expect(await readFile(file(), 'utf8')).toBe('keep me');
});

test('an aborted deletion did not happen', async () => {
  const ctx = scratch.context({ signal: AbortSignal.abort() });
  await expect(deleteFile.run(input, ctx)).rejects.toMatchObject({ more: { effect: 'none' } });
  expect(await deleteFile.reconcile?.(input, ctx)).toEqual({ kind: 'did_not_happen' });
  expect(await readFile(file(), 'utf8')).toBe('keep me');
});
