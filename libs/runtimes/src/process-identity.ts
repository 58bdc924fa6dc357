import { readFileSync, readlinkSync } from 'node:fs';

/** A process, distinguished from any other with the same pid. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, by the kernel: `machine/boot/pid namespace/ticks since boot`. Empty where the system does not tell. */
  started: string;
}

/** What a pid counts in. */
interface Scope {
  machine: string;
  boot: string;
  namespace: string;
}

/** Where the start time of a process stands among the fields behind its state. */
const START_FIELD = 18;

const textOf = (file: string): string => readFileSync(file, 'latin1').trim();

/** Undefined: there is no such process, or nothing of it runs any more. */
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

/** Undefined where the system does not tell. */
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

/** The identity of a process that runs. */
export function identityOf(pid: number): ProcessIdentity {
  const ticks = ticksOf(pid);
  const scope = scopeHere();
  return { pid, started: ticks && scope ? [scope.machine, scope.boot, scope.namespace, ticks].join('/') : '' };
}

/** Whether a process that was recorded is known to run no more. False also if that cannot be checked here. */
export function isKnownDead({ pid, started }: ProcessIdentity): boolean {
  const here = scopeHere();
  const [machine, boot, namespace, ticks] = started.split('/');
  if (!here || ticks === undefined) return false;
  // Nothing outlives the boot of its machine.
  if (boot !== here.boot) return machine !== '' && machine === here.machine;
  return namespace === here.namespace && ticksOf(pid) !== ticks;
}
