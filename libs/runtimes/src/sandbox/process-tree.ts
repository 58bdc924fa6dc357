import { readdirSync, readFileSync } from 'node:fs';
import { residentMb } from '../child/resident-memory.js';

/** Beyond this many processes a tree is not counted to its end. */
const COUNTED_MAX = 1_000;

function childrenOf(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** What a process and its descendants take, as the kernel counts it. */
export function treeUsage(pid: number): { processes: number; memory_mb: number } {
  const found = [pid];
  let memory_mb = 0;
  for (let at = 0; at < found.length && found.length < COUNTED_MAX; at++) {
    memory_mb += residentMb(found[at] as number) ?? 0;
    found.push(...childrenOf(found[at] as number));
  }
  return { processes: found.length, memory_mb };
}
