import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../suite-fixture.js';
import { DirectoryLock, DirectoryLocked } from './directory-lock.js';
import { EmbeddedEventLog } from './embedded-event-log.js';

const ADAPTER = new URL('./embedded-event-log.js', import.meta.url).href;
const ROUNDS = 6;
let dir: string;
const children = new Set<ChildProcess>();

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'countersign-kill-'));
});

afterEach(async () => {
  for (const child of children) await end(child);
  await rm(dir, { recursive: true });
});

async function end(child: ChildProcess): Promise<void> {
  children.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Starts a process that opens the log and then runs `work`; collects its output. */
function start(work: string): { child: ChildProcess; output: { text: string } } {
  const script = `import { EmbeddedEventLog } from ${JSON.stringify(ADAPTER)};
    const log = await EmbeddedEventLog.open({ dir: ${JSON.stringify(dir)}, segment_bytes: 200_000 });
    ${work}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  const output = { text: '' };
  const collect = (bytes: Buffer) => {
    output.text += bytes.toString();
  };
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', collect);
  return { child, output };
}

const HOLD = `console.log('held'); setInterval(() => {}, 1000);`;

// Eight concurrent callers, each with its own numbers; a number is printed once it is acknowledged.
const APPEND = `await log.ensureTopics([{ name: 'a', partitions: 8 }]);
  const value = (n) => Buffer.from(n + ' ' + 'x'.repeat(n % 700));
  await Promise.all(Array.from({ length: 8 }, async (_, partition) => {
    for (let n = await log.head('a', partition); ; n++) {
      await log.append([{ topic: 'a', partition, key: null, value: value(n), headers: {} }]);
      process.stdout.write(partition + ':' + n + '\\n');
    }
  }));`;

test(`no acknowledged record is lost in ${ROUNDS} rounds of kill -9 while eight callers append`, async () => {
  const acknowledged = new Array<number>(8).fill(-1);
  for (let round = 0; round < ROUNDS; round++) {
    const { child, output } = start(APPEND);
    await eventually('it appends', () => output.text.length > 2_000);
    await new Promise((resolve) => setTimeout(resolve, 20 + round * 17));
    await end(child);
    for (const line of output.text.split('\n').slice(0, -1)) {
      const [partition, n] = line.split(':').map(Number);
      acknowledged[partition!] = Math.max(acknowledged[partition!]!, n!);
    }
    const log = await EmbeddedEventLog.open({ dir });
    expect([log.opened_clean, log.last_stop]).toEqual([false, 'killed']);
    for (let partition = 0; partition < 8; partition++) {
      const found = await log.read('a', partition, 0, 1_000_000);
      expect(found.length).toBeGreaterThan(acknowledged[partition]!);
      expect(found.every(({ value, offset }, at) => offset === at && value.toString() === `${at} ${'x'.repeat(at % 700)}`)).toBe(true);
    }
    await log.kill();
  }
  expect(Math.min(...acknowledged)).toBeGreaterThan(ROUNDS);
});

test('a second process gets one clear line, also while the first is suspended, and opens the log once the first was killed', async () => {
  const { child, output } = start(HOLD);
  await eventually('it holds the log', () => output.text.includes('held'));
  const line = `the log in ${dir} is in use by process ${child.pid}`;
  await expect(EmbeddedEventLog.open({ dir })).rejects.toThrow(new DirectoryLocked(line));
  child.kill('SIGSTOP');
  await expect(EmbeddedEventLog.open({ dir })).rejects.toThrow(`the log in ${dir} is in use by a process that does not respond`);
  child.kill('SIGCONT');
  await end(child);
  const log = await EmbeddedEventLog.open({ dir });
  const second = start(HOLD);
  await once(second.child, 'exit');
  expect(second.output.text).toContain(`the log in ${dir} is in use by process ${process.pid}`);
  await log.close();
});

test('of many concurrent processes one gets the directory, and each gets it eventually', async () => {
  let holders = 0;
  let refused = 0;
  const take = async () => {
    for (;;) {
      try {
        const lock = await DirectoryLock.acquire(dir);
        expect(++holders).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 5));
        holders--;
        await lock.release();
        return;
      } catch (error) {
        if (!(error instanceof DirectoryLocked)) throw error;
        refused++;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      }
    }
  };
  await Promise.all(Array.from({ length: 10 }, take));
  expect(refused).toBeGreaterThan(0);
  expect((await readdir(dir)).filter((name) => name.includes('.sock'))).toEqual([]);
});

test('a long path works', async () => {
  const deep = join(dir, 'd'.repeat(100), 'e'.repeat(100));
  await mkdir(deep, { recursive: true });
  const lock = await DirectoryLock.acquire(deep);
  await expect(DirectoryLock.acquire(deep)).rejects.toThrow(DirectoryLocked);
  await lock.release();
});
