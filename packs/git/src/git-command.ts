import { spawn } from 'node:child_process';
import { ToolError } from '@countersign/tool-kit';
import { OVERRIDE_ENVIRONMENT } from './configured-programs.js';

const STDOUT_BYTES = 16 * 1024 * 1024;
const STDERR_BYTES = 16 * 1024;
const GRACE_MS = 500;

/** No environment of the platform, no configuration but the repository's, no prompts, literal paths. */
const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  SSH_ASKPASS: '/bin/false',
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
  // Only a call that names a remote can reach it, and missing objects are not fetched.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_PAGER: 'cat',
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
  GIT_ADVICE: '0',
  ...OVERRIDE_ENVIRONMENT,
};

/** The environment of a command that connects to a configured remote. */
export const REMOTE_ENVIRONMENT = { GIT_ALLOW_PROTOCOL: 'file:https:ssh' };

/** Disables programs that a repository's own configuration could run; for drivers with arbitrary names see `configured-programs.ts`. */
const CONFIGURATION = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.alternateRefsCommand=false',
  'core.pager=cat',
  'core.untrackedCache=false',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'core.quotePath=false',
  'commit.gpgSign=false',
  'push.gpgSign=false',
  'push.recurseSubmodules=no',
  'submodule.recurse=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'log.showSignature=false',
  'gpg.program=false',
  'gpg.openpgp.program=false',
  'gpg.x509.program=false',
  'gpg.ssh.program=false',
  'gpg.ssh.defaultKeyCommand=false',
  'credential.helper=',
  'diff.external=false',
  'diff.ignoreSubmodules=all',
  'push.negotiate=false',
].flatMap((setting) => ['-c', setting]);

export interface GitCall {
  cwd: string;
  args: readonly string[];
  signal: AbortSignal;
  input?: string | Buffer;
  env?: Record<string, string>;
  /** More output than this ends the process; the result is then `cut`. Default 16 MiB. */
  stdout_bytes_max?: number;
  /** The process ends by itself after this time, even if this process has ended (if `timeout` exists: Linux). */
  life_ms?: number;
}

/** The exit of git; `code` is null if this process ended it. */
export interface GitResult {
  code: number | null;
  stdout: Buffer;
  stderr: string;
  cut: boolean;
}

/**
 * Runs git in its own process group, without a shell. Resolves with any exit of git.
 * @throws ToolError CANCELLED (effect unknown: the caller knows what was running) after killing the group on abort.
 */
export function runGit(call: GitCall): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    if (call.signal.aborted) return reject(new ToolError('CANCELLED', 'the call was aborted before git started', { effect: 'none' }));
    const [command, ...args] = commandOf(call);
    const child = spawn(command as string, args, { cwd: call.cwd, env: { ...ENVIRONMENT, ...call.env }, detached: true, stdio: 'pipe' });
    const kill = () => endGroup(child.pid);
    const output = new Collected(call.stdout_bytes_max ?? STDOUT_BYTES, kill);
    const errors = new Collected(STDERR_BYTES, () => undefined);
    child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.add(chunk));
    // It may end without reading its input.
    child.stdin.on('error', () => undefined).end(call.input ?? '');
    call.signal.addEventListener('abort', kill);
    child.on('error', (error) => reject(new ToolError('PROVIDER_ERROR', `git cannot be started (${error.message})`, { effect: 'none' })));
    child.on('close', (code) => {
      call.signal.removeEventListener('abort', kill);
      if (call.signal.aborted) return reject(new ToolError('CANCELLED', 'git was stopped because the call was aborted'));
      resolve({ code: output.cut ? null : code, stdout: output.bytes(), stderr: errors.bytes().toString('utf8'), cut: output.cut });
    });
  });
}

function commandOf(call: GitCall): string[] {
  const git = ['git', '--no-pager', ...CONFIGURATION, ...call.args];
  if (call.life_ms === undefined || process.platform !== 'linux') return git;
  return ['timeout', '-s', 'KILL', String(Math.ceil(call.life_ms / 1000)), ...git];
}

/** Sends SIGTERM first, so that git removes its lock files; then SIGKILL if it does not end. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  signalGroup(pid, 'SIGTERM');
  setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS).unref();
}

function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended already.
  }
}

/** Output up to a limit. */
class Collected {
  cut = false;
  private readonly chunks: Buffer[] = [];
  private size = 0;

  constructor(
    private readonly bytes_max: number,
    private readonly full: () => void,
  ) {}

  add(chunk: Buffer): void {
    if (this.cut) return;
    const room = this.bytes_max - this.size;
    this.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.size += Math.min(chunk.length, room);
    if (chunk.length <= room) return;
    this.cut = true;
    this.full();
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}
