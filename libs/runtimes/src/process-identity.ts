import { readFileSync, readlinkSync } from 'node:fs';

/** A process, distinguishable from any other with the same pid. */
export interface ProcessIdentity {
  pid: number;
  /** Its start according to the kernel: `machine/boot/pid namespace/ticks since boot`. Empty if the system does not report it. */
  started: string;
}

/** The scope in which a pid is unique. */
interface Scope {
  machine: string;
  boot: string;
  namespace: string;
}

/** Index of a process's start time among the fields after its state. */
const START_FIELD = 18;

const textOf = (file: string): string => readFileSync(file, 'latin1').trim();

/** Undefined: the process does not exist or has ended. */
function ticksOf(pid: number): string | undefined {
  try {
    const stat = textOf(`/proc/${pid}/stat`);
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : fields[START_FIELD];
  } catch {
    return undefined;
  }
}

function machineId(): string {
  try {
    return textOf('/etc/machine-id');
  } catch {
    return '';
  }
}

/** Undefined if the system does not report it. */
function scopeHere(): Scope | undefined {
  try {
    return {
      machine: machineId(),
      boot: textOf('/proc/sys/kernel/random/boot_id'),
      namespace: readlinkSync('/proc/self/ns/pid'),
    };
  } catch {
    return undefined;
  }
}

/** The identity of a running process. */
export function identityOf(pid: number): ProcessIdentity {
  const ticks = ticksOf(pid);
  const scope = scopeHere();
  return { pid, started: ticks && scope ? [scope.machine, scope.boot, scope.namespace, ticks].join('/') : '' };
}

/** Whether a recorded process is known to have ended. False also if that cannot be checked here. */
export function isKnownDead({ pid, started }: ProcessIdentity): boolean {
  const here = scopeHere();
  const [machine, boot, namespace, ticks] = started.split('/');
  if (!here || ticks === undefined) return false;
  // No process outlives the boot of its machine.
  if (boot !== here.boot) return machine !== '' && machine === here.machine;
  return namespace === here.namespace && ticksOf(pid) !== ticks;
}
