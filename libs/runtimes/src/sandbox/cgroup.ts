import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = '/sys/fs/cgroup';

/** The folders of one control group, and the file that limits each resource. */
interface Hierarchy {
  readonly pids: { folder: string; file: string };
  readonly memory: { folder: string; file: string };
}

/** Limits of one process tree that the kernel keeps. */
export interface TreeLimits {
  readonly memory_mb: number;
  readonly pids_max: number;
}

/** The group of this process in each hierarchy, by controller; '' for the unified one. */
function ownGroups(): ReadonlyMap<string, string> {
  const lines = readFileSync('/proc/self/cgroup', 'latin1').trim().split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [, controllers = '', place = '/'] = line.split(':');
      return controllers.split(',').map((controller): [string, string] => [controller, place]);
    }),
  );
}

function hierarchies(): Hierarchy[] {
  const own = ownGroups();
  const pids = path.join(ROOT, 'pids', own.get('pids') ?? '/');
  const memory = path.join(ROOT, 'memory', own.get('memory') ?? '/');
  const unified = path.join(ROOT, own.get('') ?? '/');
  return [
    { pids: { folder: unified, file: 'pids.max' }, memory: { folder: unified, file: 'memory.max' } },
    { pids: { folder: pids, file: 'pids.max' }, memory: { folder: memory, file: 'memory.limit_in_bytes' } },
  ];
}

let last = 0;

/** A control group for one process tree: the kernel refuses its processes and memory beyond the limits. */
export class Cgroup {
  private constructor(
    private readonly folders: readonly string[],
    private readonly events: readonly string[],
  ) {}

  /** Undefined: this process may create none, so that the tree must be watched instead. */
  static create(limits: TreeLimits): Cgroup | undefined {
    const name = `countersign-${process.pid}-${++last}`;
    try {
      for (const hierarchy of hierarchies()) {
        const group = Cgroup.within(hierarchy, name, limits);
        if (group) return group;
      }
    } catch {
      // No control groups here.
    }
    return undefined;
  }

  private static within({ pids, memory }: Hierarchy, name: string, limits: TreeLimits): Cgroup | undefined {
    if (last === 1) for (const { folder } of [pids, memory]) removeStale(folder);
    const folders = [...new Set([pids.folder, memory.folder])].map((folder) => path.join(folder, name));
    const group = new Cgroup(folders, [
      path.join(memory.folder, name, 'memory.events'),
      path.join(memory.folder, name, 'memory.oom_control'),
    ]);
    try {
      for (const folder of folders) mkdirSync(folder);
      writeFileSync(path.join(pids.folder, name, pids.file), String(limits.pids_max), { flag: 'r+' });
      writeFileSync(path.join(memory.folder, name, memory.file), String(limits.memory_mb * 1024 * 1024), { flag: 'r+' });
      return group;
    } catch {
      group.remove();
      return undefined;
    }
  }

  /** Files to which a process writes its pid to enter. */
  get doors(): string[] {
    return this.folders.map((folder) => path.join(folder, 'cgroup.procs'));
  }

  /** Whether the kernel has ended a process of it for its memory. */
  get ran_out_of_memory(): boolean {
    return this.events.some((file) => {
      try {
        return /^oom_kill [1-9]/m.test(readFileSync(file, 'latin1'));
      } catch {
        return false;
      }
    });
  }

  /** Removes it; it stays while a process is in it. */
  remove(): boolean {
    return this.folders.map(removed).every(Boolean);
  }
}

/** Removes groups of executors that were killed. */
function removeStale(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const pid = /^countersign-(\d+)-\d+$/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) removed(path.join(folder, name));
  }
}

function removed(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
