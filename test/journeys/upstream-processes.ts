import { readdirSync, readFileSync } from 'node:fs';

const read = (file: string): string => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return ''; // The process has ended.
  }
};

/** The programs that run in a sandbox with this state folder: descendants of its bubblewrap that are not bubblewrap. */
export function programsOf(state_folder: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = pids.filter((pid) => read(`/proc/${pid}/cmdline`).includes(`\0${state_folder}\0`)).map(Number);
  for (let at = 0; at < found.length; at++) {
    const pid = found[at] as number;
    const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
    found.push(...children.filter((child) => !found.includes(child)));
  }
  return found.filter((pid) => !/^(\/bin\/)?(bwrap|sh)\0/.test(read(`/proc/${pid}/cmdline`)) && read(`/proc/${pid}/cmdline`) !== '');
}

/** The programs that have this in their environment. */
export function programsWith(variable: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => read(`/proc/${pid}/environ`).includes(variable)).map(Number);
}

/** Sends a signal to all of them, as far as they still run. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}
