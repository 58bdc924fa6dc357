import { readFileSync, readlinkSync } from 'node:fs';

const NS_PER_MS = 1_000_000;

/** Id of the calling thread for the kernel; undefined where it does not say (other systems than Linux). */
export function ownThreadId(): string | undefined {
  try {
    return readlinkSync('/proc/thread-self').split('/').at(-1);
  } catch {
    return undefined;
  }
}

/** CPU time of another thread of this process since it started, ms: a busy machine does not use it up. Wall time where the kernel has no such number. */
export function threadTimeMs(thread_id: string | undefined): number {
  if (thread_id === undefined) return performance.now();
  try {
    return Number(readFileSync(`/proc/self/task/${thread_id}/schedstat`, 'latin1').split(' ')[0]) / NS_PER_MS;
  } catch {
    return performance.now();
  }
}
