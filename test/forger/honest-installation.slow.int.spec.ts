import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedEventLog } from '@countersign/event-log';
import { CHECKPOINT_TOPIC } from '@countersign/evidence';
import { expect, test } from 'vitest';
import { HonestInstallation, RECORDS, SETTINGS } from './honest-installation.js';
import { Random } from './random.js';

const RUNS = Number(process.env.COUNTERSIGN_TEST_FORGER_RUNS ?? 50);
const FIRST = Number(process.env.COUNTERSIGN_TEST_FORGER_FIRST ?? 0);
const STEPS = 12;

test('an honest log is never reported as damaged: crashes, rebuilds, drops, erasures', async () => {
  const happened = { crash: 0, rebuild: 0, drop: 0, erasure: 0 };
  for (let run = FIRST; run < FIRST + RUNS; run++) {
    const dir = await mkdtemp(path.join(tmpdir(), 'honest-'));
    const log = await EmbeddedEventLog.open({ dir: path.join(dir, 'log'), segment_bytes: 8_000, chunk_bytes: 1024, fsync: 'none' });
    await log.ensureTopics([RECORDS, SETTINGS, CHECKPOINT_TOPIC].map((name) => ({ name, partitions: 1 })));
    const installation = new HonestInstallation(dir, log, new Random(run * 7919));
    try {
      for (let step = 0; step < STEPS; step++) await installation.step();
      await installation.start();
    } catch (cause) {
      throw new Error(`run ${run}`, { cause });
    } finally {
      await log.close();
      await rm(dir, { recursive: true, force: true });
    }
    expect([run, installation.found]).toEqual([run, []]);
    for (const each of Object.keys(happened) as (keyof typeof happened)[]) happened[each] += installation.happened[each];
  }
  process.stdout.write(`${RUNS} runs: ${JSON.stringify(happened)}\n`);
  for (const [mishap, times] of Object.entries(happened)) expect([mishap, times > RUNS / 4]).toEqual([mishap, true]);
}, 1_200_000);
