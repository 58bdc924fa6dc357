import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HeadsLog, noteSigner, signCheckpoint } from '@countersign/proofs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WitnessFault } from './synced-file.js';
import { WitnessState } from './witness-state.js';

const signer = noteSigner('log.example', Buffer.alloc(32, 1));
const root = Buffer.alloc(32, 3);
const name = `seen-${signer.verifier.key_hash.toString(16).padStart(8, '0')}`;
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'witness-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const state = () => new WitnessState(dir, signer.verifier);

test('a witness without state starts before the first entry, and continues from its saved state', async () => {
  expect((await state().seen()).log.size).toBe(0);
  const log = HeadsLog.empty();
  log.appendHeads(1, [{ topic: 'a', partition: 0, size: 2, root }]);
  await state().save(log, signCheckpoint({ size: 1, root: log.root() }, signer));
  const seen = await state().seen();
  expect([seen.log.size, seen.log.root(), seen.log.head({ topic: 'a', partition: 0 })?.size]).toEqual([1, log.root(), 2]);
});

test('the note of an earlier release is no state: the log must pass through it from its first entry', async () => {
  await writeFile(path.join(dir, `${name}.note`), signCheckpoint({ size: 7, root }, signer));
  const seen = await state().seen();
  expect([seen.log.size, seen.note, seen.passed]).toEqual([0, undefined, { size: 7, root }]);
});

test('state that is damaged, edited, or of another log is not used', async () => {
  const log = HeadsLog.empty();
  log.appendHeads(1, [{ topic: 'a', partition: 0, size: 2, root }]);
  const other = noteSigner('log.example', Buffer.alloc(32, 2));
  await state().save(log, signCheckpoint({ size: 1, root: log.root() }, other));
  await expect(state().seen()).rejects.toThrow(WitnessFault);
  log.appendHeads(2, [{ topic: 'a', partition: 0, size: 3, root }]);
  await state().save(log, signCheckpoint({ size: 2, root }, signer));
  await expect(state().seen()).rejects.toThrow('differ from what checkpoint 2 signs');
  await writeFile(path.join(dir, `${name}.json`), '{');
  await expect(state().seen()).rejects.toThrow('damaged');
  await rm(path.join(dir, `${name}.json`));
  await writeFile(path.join(dir, `${name}.note`), signCheckpoint({ size: 2, root }, other));
  await expect(state().seen()).rejects.toThrow('another log');
});
