// CPU and memory of processes as the kernel counts them (/proc; zero on systems without it).
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const TICKS_PER_S = 100;

function cpuMs(file) {
  try {
    const stat = readFileSync(file, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_S;
  } catch {
    return 0;
  }
}

/** A process and everything below it. */
export function tree(pid) {
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {}
  }
  const found = [pid];
  for (const at of found) found.push(...(children.get(at) ?? []));
  return found;
}

/** Who listens on a port of this machine; undefined where that is not to be seen (another machine, a container). */
export function listener(port) {
  const hex = `:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = ['tcp', 'tcp6'].flatMap((name) => {
    try {
      return readFileSync(`/proc/net/${name}`, 'utf8').split('\n');
    } catch {
      return [];
    }
  });
  const listening = lines.map((line) => line.trim().split(/\s+/)).find((fields) => fields[1]?.endsWith(hex) && fields[3] === '0A');
  return listening && owner(`socket:[${listening[9]}]`);
}

function owner(socket) {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (readdirSync(`/proc/${name}/fd`).some((fd) => linkOf(`/proc/${name}/fd/${fd}`) === socket)) return Number(name);
    } catch {}
  }
  return undefined;
}

function linkOf(file) {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}

/** CPU ms so far of each group of processes, and of the main thread of its first one. */
export function cpuOf(groups) {
  const usage = {};
  for (const [name, pids] of Object.entries(groups)) {
    usage[name] = pids.flatMap(tree).reduce((sum, pid) => sum + cpuMs(`/proc/${pid}/stat`), 0);
    usage[`${name}:main`] = cpuMs(`/proc/${pids[0]}/task/${pids[0]}/stat`);
  }
  return usage;
}

function statusMiB(pid, field) {
  try {
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

export const rssMiB = (pid) => statusMiB(pid, 'VmRSS');
export const peakMiB = (pid) => statusMiB(pid, 'VmHWM');

/** Share of all CPUs that was busy between two calls of `machine`, 0 to 1. */
export function machine() {
  try {
    const times = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0].trim().split(/\s+/).slice(1, 9).map(Number);
    const total = times.reduce((a, b) => a + b, 0);
    return { total, idle: times[3] + times[4] };
  } catch {
    return { total: 0, idle: 0 };
  }
}
