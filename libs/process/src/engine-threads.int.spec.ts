import { execFile } from 'node:child_process';
import { getPriority } from 'node:os';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const run = promisify(execFile);
/** The niceness with which a child of this process starts. */
const OWN = getPriority();
const module_url = new URL('./engine-threads.js', import.meta.url).href;

interface Thread {
  nice: number;
  cpu_ns: number;
}

/** Threads of a process that collected garbage and read files: niceness (field 19 of stat) and CPU (schedstat), by thread id. */
async function threadsAfterWork(flags: string[]): Promise<{ changed: number; main: Thread; others: Thread[] }> {
  const text = `
    import { readdirSync, readFileSync } from 'node:fs';
    import { readFile } from 'node:fs/promises';
    import { yieldEngineThreads } from '${module_url}';
    const changed = yieldEngineThreads(process.env);
    const kept = [];
    for (let n = 0; n < 600_000; n++) kept.push({ n, text: 'a' + n });
    await Promise.all(Array.from({ length: 64 }, () => readFile('/proc/self/status')));
    const of = (tid) => ({
      nice: Number(readFileSync('/proc/self/task/' + tid + '/stat', 'utf8').split(') ')[1].split(' ')[16]),
      cpu_ns: Number(readFileSync('/proc/self/task/' + tid + '/schedstat', 'utf8').split(' ')[0]),
    });
    const tids = readdirSync('/proc/self/task').map(Number).sort((a, b) => a - b).filter((tid) => tid !== process.pid);
    console.log(JSON.stringify({ changed, main: of(process.pid), others: tids.map(of), kept: kept.length }));`;
  const { stdout } = await run(process.execPath, [...flags, '--input-type=module', '-e', text], { maxBuffer: 1 << 20 });
  return JSON.parse(stdout);
}

describe('threads of V8, on Linux', () => {
  test('garbage collection threads get a lower priority; the main thread and file threads do not', async () => {
    const { changed, main, others } = await threadsAfterWork([]);
    expect(changed).toBe(5);
    expect(main.nice).toBe(OWN);
    const [niced, plain] = [others.filter(({ nice }) => nice === OWN + 10), others.filter(({ nice }) => nice === OWN)];
    expect([niced.length, niced.length + plain.length]).toEqual([5, others.length]);
    const collecting = niced.reduce((sum, { cpu_ns }) => sum + cpu_ns, 0);
    expect(collecting).toBeGreaterThan(10_000_000);
    expect(plain.length).toBeGreaterThanOrEqual(4);
  });

  test('if a flag changes the number of threads, no thread is changed', async () => {
    const { changed, others } = await threadsAfterWork(['--v8-pool-size=2']);
    expect(changed).toBe(0);
    expect(others.every(({ nice }) => nice === OWN)).toBe(true);
  });
});
