import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import type { Environment } from './settings.js';

/** Added niceness of V8's own threads: they yield to the thread that serves requests. */
const NICER_BY = 10;
const NICENESS_MAX = 19;
/** Node starts four pool threads unless `--v8-pool-size` is set, and one for delayed tasks. */
const POOL_THREADS = 4;
const TIMER_THREADS = 1;

/**
 * V8's threads collect garbage and compile. Four of them marking at once use a small machine completely for 30 to 70 ms, while the thread
 * that serves requests waits. Linux schedules each thread by its own niceness, so V8's threads get a higher one. On other systems, or if
 * the threads cannot be identified, nothing is changed. V8's threads are the first that a process starts after its main thread, so their
 * ids are the lowest above its own. Call it once, early in a process, with its environment. Returns how many threads were changed.
 */
export function yieldEngineThreads(env: Environment): number {
  if (process.platform !== 'linux') return 0;
  const niceness = Math.min(NICENESS_MAX, getPriority() + NICER_BY);
  return engineThreads(env).filter((thread) => gaveWay(thread, niceness)).length;
}

function engineThreads(env: Environment): number[] {
  const flags = [...process.execArgv, env.NODE_OPTIONS ?? ''].join(' ');
  if (/--(v8[-_]pool[-_]size|single[-_]threaded)/.test(flags)) return [];
  try {
    const later = readdirSync('/proc/self/task')
      .map(Number)
      .filter((thread) => thread > process.pid);
    return later.sort((a, b) => a - b).slice(0, POOL_THREADS + TIMER_THREADS);
  } catch {
    return [];
  }
}

function gaveWay(thread: number, niceness: number): boolean {
  try {
    setPriority(thread, niceness);
    return true;
  } catch {
    // The thread has ended, or the system forbids it: the process works either way.
    return false;
  }
}
