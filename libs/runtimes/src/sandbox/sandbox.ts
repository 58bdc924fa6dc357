import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { messageOf } from '../thrown-error.js';
import { STATE_INSIDE } from './state-folder.js';

/** The sandbox of commands: bubblewrap, or none where the installation allows that. */
export type SandboxMode = 'bubblewrap' | 'none';

/** What one process may read and how it reaches its hosts. */
export interface SandboxTerms {
  readonly read: readonly string[];
  /** A unix socket that the process may connect to, and its path inside. */
  readonly socket?: { readonly outside: string; readonly inside: string };
  /** A folder that the process writes, as `/state` inside. */
  readonly state?: string;
}

const PROBE_MS = 10_000;
/** The user without rights, by convention. */
const UID = '65534';
const SCRATCH_BYTES = 64 * 1024 * 1024;
/** Folders of the system that programs need. What does not exist is left out. */
const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/ssl',
  '/etc/pki',
  '/etc/localtime',
];

/** Prints the user, the interfaces besides the loopback, and whether the root can be written: all with what every shell has built in. */
const PROBE = `
while read -r field uid rest; do [ "$field" = Uid: ] && found=$uid; done </proc/self/status
others=0; while IFS= read -r line; do case $line in *lo:*) ;; *:*) others=1 ;; esac; done </proc/net/dev
written=no; (: >/probe) 2>/dev/null && written=yes; (: >/dev/probe) 2>/dev/null && written=yes; (: >/usr/probe) 2>/dev/null && written=yes
echo "$found $others $written"
`;

/** Arguments of bubblewrap up to the program. */
export function bubblewrapArguments({ read, socket, state }: SandboxTerms): string[] {
  const scratch = (folder: string) => ['--size', String(SCRATCH_BYTES), '--tmpfs', folder];
  return [
    ...['--unshare-all', '--uid', UID, '--gid', UID, '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    ...SYSTEM.flatMap((folder) => ['--ro-bind-try', folder, folder]),
    ...['--proc', '/proc', '--dev', '/dev', ...scratch('/dev/shm'), '--remount-ro', '/dev', ...scratch('/tmp')],
    ...read.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...(socket ? ['--ro-bind', socket.outside, socket.inside] : []),
    ...(state === undefined ? [] : ['--bind', state, STATE_INSIDE]),
    ...['--remount-ro', '/', '--chdir', '/tmp', '--'],
  ];
}

/** Runs programs apart from the rest of the machine: no network, a user without rights, a file system that cannot be written. */
export class Sandbox {
  private constructor(
    readonly mode: SandboxMode,
    /** Why no command can be run; undefined: it has been run. */
    readonly fault: string | undefined,
    private readonly program: string,
  ) {}

  /** Runs it once. `none`: programs run as the executor's own user, with its network. */
  static async probe(mode: SandboxMode, program = 'bwrap'): Promise<Sandbox> {
    return new Sandbox(mode, mode === 'none' ? undefined : await faultOf(program), program);
  }

  /** The program and its arguments, in the sandbox. */
  wrapped(argv: readonly string[], terms: SandboxTerms): string[] {
    if (this.mode === 'none')
      return existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL', '--', ...argv] : [...argv];
    return [this.program, ...bubblewrapArguments(terms), ...argv];
  }
}

async function faultOf(program: string): Promise<string | undefined> {
  const args = [...bubblewrapArguments({ read: [] }), '/bin/sh', '-c', PROBE];
  const { error, stdout, stderr } = await new Promise<{ error: Error | null; stdout: string; stderr: string }>((resolve) => {
    execFile(program, args, { timeout: PROBE_MS, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } }, (failure, out, err) =>
      resolve({ error: failure, stdout: out, stderr: err }),
    );
  });
  if ((error as NodeJS.ErrnoException | null)?.code === 'ENOENT') return 'bubblewrap is not installed (package bubblewrap, program bwrap)';
  if (error) return `bubblewrap does not run here: ${(stderr.trim() || messageOf(error)).slice(0, 300)}`;
  const [uid, others, written] = stdout.trim().split(' ');
  if (uid !== UID || others !== '0' || written !== 'no')
    return `bubblewrap does not isolate here: user ${uid}, other interfaces ${others}, files of the system writable: ${written}`;
  return undefined;
}
