import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { forgeRecord } from '@countersign/event-log/testing/forged-journal';
import { readDecision } from '@countersign/evidence';
import { followEntries, HeadsLog, headName, type Opening } from '@countersign/proofs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DamagedInstallation, RECORDS, signer } from '../testing/damaged-installation.js';

let dir: string;
let installation: DamagedInstallation;

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'generations-'));
  installation = await DamagedInstallation.open(dir);
});
afterEach(async () => {
  await installation.remove();
});

/** The openings that a reader sees who follows the log from its first entry. */
async function openings(): Promise<Opening[]> {
  const opened: Opening[] = [];
  for (let at = HeadsLog.empty(); ; ) {
    const page = await installation.entries().entries(at.size);
    if (page.kind !== 'found') throw new Error(page.kind);
    if (page.found.entries.length === 0) return opened;
    const followed = followEntries(at, page.found, { log: signer.verifier, readDecision });
    if (followed.kind === 'refused') throw new Error(followed.reason);
    opened.push(...followed.openings);
    at = followed.log;
  }
}

const rewrite = (offset: number, text: string) =>
  forgeRecord(installation.logDir, { topic: RECORDS, partition: 0, offset }, (value) => void value.write(text));
const replace = (offset: number) =>
  installation.whileStopped(async () => {
    await rewrite(offset, 'VALUE');
    await rm(installation.audit('trees', RECORDS), { recursive: true });
  });

describe('a tree that cannot be continued', () => {
  test('of a log that was cut: stops, is accepted, is frozen as signed, and continues as the next generation', async () => {
    await installation.append(40);
    expect(await installation.start()).toEqual([]);
    await installation.cut(30);
    const signed = await installation.sizeNow();
    expect(await installation.start()).toEqual([`signer: ${RECORDS}/0 ends at offset 30, but is signed up to offset 40`]);
    // The system appends some records of its own meanwhile.
    await installation.append(3, 'meanwhile');
    expect(await installation.start()).toHaveLength(1);
    expect(await installation.sizeNow()).toBe(signed);
    await installation.accept();
    expect(await installation.start()).toEqual([]);
    expect(await installation.trees()).toEqual([`${RECORDS}/0 0-30 of 40 frozen`, `${RECORDS}/0#2 30-33 of 3`]);
    await installation.append(10, 'after');
    expect(await installation.start()).toEqual([]);
    expect(await installation.trees()).toEqual([`${RECORDS}/0 0-30 of 40 frozen`, `${RECORDS}/0#2 30-43 of 13`]);
    const proven = await installation.provenBy();
    expect([proven.slice(0, 30), proven.slice(30)]).toEqual([Array(30).fill(`${RECORDS}/0`), Array(13).fill(`${RECORDS}/0#2`)]);
    expect(
      (await openings()).map(({ frozen, opened, decision }) => [headName(frozen), frozen.size, headName(opened), decision.reason]),
    ).toEqual([[`${RECORDS}/0`, 40, `${RECORDS}/0#2`, 'no backup']]);
  }, 60_000);

  test('of a log that was truncated and grew past that point: its unsigned records are in the new tree', async () => {
    await installation.append(40);
    expect(await installation.start()).toEqual([]);
    await installation.cut(30);
    expect(await installation.start()).toHaveLength(1);
    await installation.append(20, 'meanwhile');
    await installation.accept();
    expect(await installation.start()).toEqual([]);
    expect(await installation.trees()).toEqual([`${RECORDS}/0 0-30 of 40 frozen`, `${RECORDS}/0#2 30-50 of 20`]);
  }, 60_000);

  test('of lost tiles and another log: the same, and the current records are proven from then on', async () => {
    await installation.append(40);
    expect(await installation.start()).toEqual([]);
    await replace(7);
    expect(await installation.start()).toEqual([expect.stringContaining('up to 40 is not what was signed')]);
    await installation.accept();
    expect(await installation.start()).toEqual([]);
    expect(await installation.trees()).toEqual([`${RECORDS}/0 0-0 of 40 frozen`, `${RECORDS}/0#2 0-40 of 40`]);
    expect(await installation.provenBy()).toEqual(Array(40).fill(`${RECORDS}/0#2`));
    expect(await installation.proofs().faults()).toEqual([]);
  }, 60_000);

  test('again: the second damage opens the third tree, and later damage is found under the tree of that time', async () => {
    await installation.append(40);
    await installation.start();
    await installation.cut(30);
    await installation.start();
    await installation.accept();
    await installation.append(10, 'after');
    expect(await installation.start()).toEqual([]);
    await installation.cut(35);
    expect(await installation.start()).toEqual([`signer: ${RECORDS}/0#2 ends at offset 35, but is signed up to offset 40`]);
    await installation.accept('again');
    await installation.append(4, 'last');
    expect(await installation.start()).toEqual([]);
    expect(await installation.trees()).toEqual([
      `${RECORDS}/0 0-30 of 40 frozen`,
      `${RECORDS}/0#2 30-35 of 10 frozen`,
      `${RECORDS}/0#3 35-39 of 4`,
    ]);
    expect((await openings()).map(({ decision }) => decision.reason)).toEqual(['no backup', 'again']);
    await installation.whileStopped(() => rewrite(32, 'AFTER'));
    expect(await installation.start()).toEqual([expect.stringContaining(`record 32 of ${RECORDS}/0#2: different`)]);
    await installation.accept('taken note of');
    await installation.append(1);
    expect(await installation.start()).toEqual([]);
    expect(await installation.trees()).toHaveLength(3);
  }, 90_000);

  test('of a log that was restored before or after the acceptance continues unchanged', async () => {
    await installation.append(40);
    await installation.start();
    const backup = path.join(dir, 'backup');
    await installation.whileStopped(() => cp(installation.logDir, backup, { recursive: true }));
    await installation.cut(30);
    expect(await installation.start()).toHaveLength(1);
    await installation.restore(backup);
    // The report was on the journal that was moved away: this journal has no open damage.
    await installation.append(2);
    expect(await installation.start()).toEqual([]);
    expect(await installation.trees()).toEqual([`${RECORDS}/0 0-42 of 42`]);
    await replace(7);
    expect(await installation.start()).toHaveLength(1);
    await installation.whileStopped(() => rewrite(7, 'value'));
    await installation.accept('restored');
    await installation.append(1);
    expect(await installation.start()).toEqual([]);
    expect([await installation.trees(), await openings()]).toEqual([[`${RECORDS}/0 0-43 of 43`], []]);
    // The decision was covered without opening a tree, so it opens none later.
    await replace(7);
    expect(await installation.start()).toEqual([expect.stringContaining('is not what was signed')]);
    expect(await installation.start()).toHaveLength(1);
    expect(await installation.trees()).toEqual([`${RECORDS}/0 0-43 of 43`]);
  }, 90_000);

  test('keeps the leaf hashes of deleted records tree by tree: lost tiles are rebuilt from them, and proofs still work', async () => {
    await installation.append(300);
    await installation.start();
    await installation.cut(280);
    expect(await installation.start()).toHaveLength(1);
    await installation.accept();
    await installation.append(400, 'after');
    expect(await installation.start()).toEqual([]);
    const trees = [`${RECORDS}/0 0-280 of 300 frozen`, `${RECORDS}/0#2 280-680 of 400`];
    expect(await installation.trees()).toEqual(trees);
    expect(await installation.drop(600)).toBeUndefined();
    const first = await installation.first;
    expect(first).toBeGreaterThan(300);
    expect(await installation.start()).toEqual([]);
    await rm(installation.audit('trees', `${RECORDS}`), { recursive: true });
    await installation.append(5, 'last');
    expect(await installation.start()).toEqual([]);
    expect(await installation.trees()).toEqual([trees[0], `${RECORDS}/0#2 280-685 of 405`]);
    expect(await installation.provenBy()).toEqual(Array(685 - first).fill(`${RECORDS}/0#2`));
  }, 120_000);

  test('of the topic with the decisions: its own decision is in the tree that it opens', async () => {
    await installation.append(40);
    await installation.configure(8);
    expect(await installation.start()).toEqual([]);
    await installation.cut(30, 5);
    expect(await installation.start()).toHaveLength(2);
    await installation.accept('both');
    await installation.append(2);
    expect(await installation.start()).toEqual([]);
    expect(await installation.trees('configuration-changed')).toEqual([
      'configuration-changed/0 0-5 of 8 frozen',
      'configuration-changed/0#2 5-6 of 1',
    ]);
    expect(await installation.trees()).toEqual([`${RECORDS}/0 0-30 of 40 frozen`, `${RECORDS}/0#2 30-32 of 2`]);
    expect((await openings()).map(({ opened }) => headName(opened)).sort()).toEqual(['configuration-changed/0#2', `${RECORDS}/0#2`]);
  }, 60_000);

  test('whose records are lost while the tiles are complete needs no generation: it continues after acceptance', async () => {
    await installation.append(40);
    await installation.start();
    await installation.whileStopped(() => rewrite(7, 'VALUE'));
    expect(await installation.start()).toEqual([expect.stringContaining(`start: record 7 of ${RECORDS}/0: different`)]);
    await installation.accept('taken note of');
    await installation.append(5);
    expect([await installation.start(), await installation.trees()]).toEqual([[], [`${RECORDS}/0 0-45 of 45`]]);
    const proven = await installation.provenBy();
    expect(proven.flatMap((tree, offset) => (tree === `${RECORDS}/0` ? [] : [[offset, tree]]))).toEqual([[7, 'broken']]);
  }, 60_000);
});
