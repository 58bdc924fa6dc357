import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** How much nicer V8's own threads are than the process was started: they give way to the threads that answer. */
const NICER_BY = 10;
const NICENESS_MAX = 19;
/** Node starts four of them unless `--v8-pool-size` says otherwise, and one that only keeps the time. */
const POOL_THREADS = 4;
const TIMER_THREADS = 1;

/**
 * V8's threads collect garbage and compile. Four of them marking at once take all of a small machine for 30 to 70 ms; the thread
 * that answers waits meanwhile. Linux schedules threads by their own niceness, so V8's get one that gives way. Elsewhere, and where the
 * threads cannot be told apart, nothing is changed.
 *
 * V8's threads are the first that a process starts after its main thread, so their ids are the lowest above its own. Call it once,
 * early in a process. Answers how many threads were changed.
 */
export function yieldEngineThreads(): number {
  if (process.platform !== 'linux') return 0;
  const niceness = Math.min(NICENESS_MAX, getPriority() + NICER_BY);
  return engineThreads().filter((thread) => gaveWay(thread, niceness)).length;
}

function engineThreads(): number[] {
  const flags = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
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
    // It has ended, or the system forbids it: the process works either way.
    return false;
  }
}
