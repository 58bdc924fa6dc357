import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { forgeRecord, rotRecord } from '@countersign/event-log/testing/forged-journal';
import { RecordScan, TextFile } from '@countersign/evidence';
import { SignedInstallation } from '@countersign/evidence/testing/signed-installation';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BackgroundPace } from './background-pace.js';
import { Scrubber } from './scrubber.js';

const TOPIC = 'tool-executed';
const lie = (value: Buffer) => void value.write('a lie');
const place = (offset: number) => ({ topic: TOPIC, partition: 0, offset });
let installation: SignedInstallation;
let now_ms: number;

beforeEach(async () => {
  now_ms = 1_790_000_000_000;
  installation = await SignedInstallation.open(await mkdtemp(path.join(tmpdir(), 'scrub-')));
});
afterEach(() => installation.remove());

function scrubber(isOwner = true): Scrubber {
  const { log, damage, dir } = installation;
  return new Scrubber({
    pace: new BackgroundPace(0, new AbortController().signal),
    scan: new RecordScan({ log, ...installation.evidence() }, installation.judge(), damage, 'scrub'),
    kept: new TextFile(path.join(dir, 'scrubbed.json')),
    owner: { isOwner },
    now_ms: () => now_ms,
    logger: { warn: () => undefined },
  });
}

describe('the scrubber', () => {
  test('finds replaced and unreadable records of any age, and reports when it last completed a pass', async () => {
    await installation.append(700);
    await installation.sign();
    await installation.whileStopped(async () => {
      await forgeRecord(installation.logDir, place(300), lie);
      await rotRecord(installation.logDir, place(20), lie);
    });
    const scrub = scrubber();
    expect(scrub.age()).toBeNaN();
    await scrub.pass();
    const wrong = installation.found.map(({ first_offset }) => first_offset);
    expect(wrong).toEqual(expect.arrayContaining([20, 300]));
    expect(installation.found.every(({ found_by, kind }) => found_by === 'scrub' && kind === 'log')).toBe(true);
    now_ms += 5_000;
    expect(scrub.age()).toBe(5_000);
    // The next pass is not due yet, even for a process that starts now.
    installation.found.length = 0;
    await scrubber().pass();
    expect(installation.found).toEqual([]);
    now_ms += 3_600_000;
    await scrubber().pass();
    expect(installation.found.map(({ first_offset }) => first_offset)).toContain(300);
  });

  test('a torn tile above the leaves hides nothing: the tree is hashed again, and a replaced record is found', async () => {
    await installation.append(700);
    await installation.sign();
    const upper = path.join(installation.dir, 'trees', TOPIC, '0', '1', '000');
    await writeFile(upper, Buffer.alloc((await readFile(upper)).length, 7));
    await scrubber().pass();
    expect(installation.found).toEqual([]);
    await installation.whileStopped(() => forgeRecord(installation.logDir, place(300), lie));
    now_ms += 3_600_000;
    await scrubber().pass();
    expect(installation.found).toEqual([expect.objectContaining({ found_by: 'scrub', first_offset: 300, last_offset: 300 })]);
  });

  test('compares new records at once, and old ones in its passes', async () => {
    await installation.append(50);
    await installation.sign();
    const scrub = scrubber();
    await scrub.compareNew();
    await installation.append(50);
    await installation.sign();
    const { log } = installation;
    const read = log.read.bind(log);
    log.read = async (...of) =>
      (await read(...of)).map((record) => (record.offset === 70 ? { ...record, value: Buffer.from('a lie') } : record));
    await scrub.compareNew();
    expect(installation.found).toEqual([expect.objectContaining({ found_by: 'scrub', first_offset: 70, last_offset: 70 })]);
  });

  test('reports nothing if the log matches what was signed, whatever happened to the tiles', async () => {
    await installation.append(700);
    await installation.sign();
    const tile = path.join(installation.dir, 'trees', TOPIC, '0', '0', '001');
    const whole = await readFile(tile);
    await truncate(tile, 100);
    const scrub = scrubber();
    await scrub.pass();
    await scrub.compareNew();
    // The tile was rewritten from the log.
    expect([installation.found, await readFile(tile)]).toEqual([[], whole]);
    await rm(path.join(installation.dir, 'trees'), { recursive: true });
    now_ms += 3_600_000;
    await scrubber().pass();
    expect(installation.found).toEqual([]);
  });
});
