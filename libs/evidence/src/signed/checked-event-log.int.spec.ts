import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RecordsUnreadable } from '@countersign/event-log';
import { forgeRecord, rotRecord } from '@countersign/event-log/testing/forged-journal';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SignedInstallation } from '../testing/signed-installation.js';

const TOPIC = 'tool-executed';
const lie = (value: Buffer) => void value.write('a lie');
let installation: SignedInstallation;

beforeEach(async () => {
  installation = await SignedInstallation.open(await mkdtemp(path.join(tmpdir(), 'checked-')));
});
afterEach(() => installation.remove());

const forge = (...offsets: number[]) =>
  installation.whileStopped(async () => {
    for (const offset of offsets) await forgeRecord(installation.logDir, { topic: TOPIC, partition: 0, offset }, lie);
  });
const tile = (...names: string[]) => path.join(installation.dir, 'trees', TOPIC, '0', ...names);
const damage = (first_offset: number, last_offset = first_offset) =>
  expect.objectContaining({ kind: 'log', found_by: 'read', topic: TOPIC, partition: 0, first_offset, last_offset });

/** Reads all of a partition, as a list or an export does, and compares it. */
async function readAll(partition = 0): Promise<void> {
  const check = installation.check('read');
  const log = installation.checkedLog(check, 'read');
  const head = await log.head(TOPIC, partition);
  for (let at = await log.first(TOPIC, partition); at < head; ) at += (await log.read(TOPIC, partition, at, 200)).length;
  await log.close();
}

describe('records on read', () => {
  test('are compared with the signed head: a replaced record with a corrected checksum is detected, and still returned', async () => {
    await installation.append(700);
    await installation.sign();
    await forge(3, 300, 301);
    const [record] = await installation.log.read(TOPIC, 0, 300, 1);
    expect(record?.value.toString()).toContain('a lie');
    await readAll();
    expect(installation.found).toEqual([damage(3), damage(300, 301)]);
    await readAll(1);
    expect(installation.found).toHaveLength(2);
  });

  test('from a subscription are compared too', async () => {
    await installation.append(300);
    await installation.sign();
    await forge(120);
    const check = installation.check('fold');
    let got = 0;
    const running = await installation.checkedLog(check, 'fold').subscribe({
      group: 'views',
      topics: [TOPIC],
      visibility: 'durable',
      batch_records_max: 100,
      onBatch: async ({ records }) => {
        got += records.length;
      },
    });
    await running.caughtUp();
    await running.close();
    await check.close();
    expect(got).toBe(300);
    expect(installation.found).toEqual([expect.objectContaining({ found_by: 'fold', first_offset: 120, last_offset: 120 })]);
  });

  test('that are not signed yet are compared once they are', async () => {
    await installation.append(300);
    const check = installation.check('fold');
    const records = await installation.log.read(TOPIC, 0, 0, 300);
    await check.seen(records.map((record) => (record.offset === 120 ? { ...record, value: Buffer.from('another') } : record)));
    await check.judgeNow();
    expect(installation.found).toEqual([]);
    await installation.sign();
    await check.close();
    expect(installation.found).toEqual([expect.objectContaining({ found_by: 'fold', first_offset: 120, last_offset: 120 })]);
  });

  test('newer than the newest checkpoint are not judged', async () => {
    await installation.append(300);
    await installation.sign();
    await installation.append(300);
    await forge(400);
    await readAll();
    expect(installation.found).toEqual([]);
  });

  test('are not reported as damaged if tiles are torn or lost', async () => {
    await installation.append(700);
    await installation.sign();
    await rm(tile('0', '001'));
    await readAll();
    await writeFile(tile('0', '000'), Buffer.alloc(8192));
    await readAll();
    await writeFile(tile('1', '000'), Buffer.alloc(10));
    await readAll();
    await rm(path.join(installation.dir, 'trees'), { recursive: true });
    await readAll();
    expect(installation.found).toEqual([]);
  });

  test('are detected even if their leaf in the tile was replaced too', async () => {
    await installation.append(700);
    await installation.sign();
    await forge(300);
    const hashes = await readFile(tile('0', '001'));
    hashes.fill(7, 44 * 32, 45 * 32);
    await writeFile(tile('0', '001'), hashes);
    await readAll();
    expect(installation.found).toEqual([damage(256, 511)]);
  });

  test('that the disk cannot return are detected: the read fails as before', async () => {
    await installation.append(700);
    await installation.sign();
    await installation.whileStopped(() => rotRecord(installation.logDir, { topic: TOPIC, partition: 0, offset: 20 }, lie));
    await expect(readAll()).rejects.toThrow(RecordsUnreadable);
    expect(installation.found).toEqual([damage(expect.any(Number) as never)]);
    expect(installation.found[0]?.reason).toContain('not readable');
  });
});
