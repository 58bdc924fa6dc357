import { readFileSync, readlinkSync } from 'node:fs';

const NS_PER_MS = 1_000_000;

/** Kernel id of the calling thread; undefined on other systems than Linux. */
export function ownThreadId(): string | undefined {
  try {
    return readlinkSync('/proc/thread-self').split('/').at(-1);
  } catch {
    return undefined;
  }
}

/**
 * CPU time of another thread of this process since it started, ms: load of the machine does not count. Wall time if the kernel has no
 * such number.
 */
export function threadTimeMs(thread_id: string | undefined): number {
  if (thread_id === undefined) return performance.now();
  try {
    return Number(readFileSync(`/proc/self/task/${thread_id}/schedstat`, 'latin1').split(' ')[0]) / NS_PER_MS;
  } catch {
    return performance.now();
  }
}
