import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cgroup, type TreeLimits } from './cgroup.js';
import { treeUsage } from './process-tree.js';
import { isOverfull, type StateFolder } from './state-folder.js';

/** A program to run. */
export interface ProcessTerms {
  /** The program and its arguments, sandbox included. */
  readonly argv: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: TreeLimits;
  readonly onOutput: (bytes: Buffer) => void;
  /** Files that it writes. */
  readonly state?: StateFolder | undefined;
}

const WATCH_MS = 100;
const STATE_WATCH_MS = 1_000;
/** Many small files take long to count: the pause is this many times as long. */
const STATE_WATCH_PAUSES = 20;
const CLOSE_MS = 1_000;
const STDERR_CHARS_KEPT = 1_000;
const FILES_MAX = 1_024;
/** Input that the process has not read. More of it means that it does not read. */
const UNREAD_BYTES_MAX = 4 * 1024 * 1024;
const REMOVE_TRIES = 20;

/** Enters the groups whose doors come first, then becomes the program: nothing of it runs outside its limits. */
const ENTER = `ulimit -c 0; ulimit -n ${FILES_MAX}; while [ "$1" != -- ]; do echo $$ >"$1" || exit 125; shift; done; shift; exec "$@"`;

/** One process tree with limits, from start to end. It ends with this process. */
export class SandboxedProcess {
  /** Resolves with why, once every process of it has ended. */
  readonly ended: Promise<string>;
  /** Why it has ended or is about to end; undefined: it runs. */
  fault: string | undefined;
  /** Whether it ended before it was told to. */
  ended_by_itself = false;
  private readonly group: Cgroup | undefined;
  private readonly child: ChildProcess;
  private stderr = '';

  constructor(private readonly terms: ProcessTerms) {
    const { argv, env, limits, onOutput } = terms;
    this.group = Cgroup.create(limits);
    const doors = this.group?.doors ?? [];
    this.child = spawn('/bin/sh', ['-c', ENTER, 'sh', ...doors, '--', ...argv], {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      // Where the executor was started is not told to what it starts.
      cwd: '/',
      detached: true,
    });
    this.child.stdout?.on('data', (bytes: Buffer) => this.fault === undefined && onOutput(bytes));
    this.child.stderr?.on('data', (bytes: Buffer) => {
      this.stderr = (this.stderr + bytes.toString()).slice(-STDERR_CHARS_KEPT);
    });
    // The end of the process says that its input is closed.
    this.child.stdin?.on('error', () => undefined);
    if (terms.state) void this.watchState(terms.state);
    const watch = this.group ? undefined : setInterval(() => this.watch(), WATCH_MS).unref();
    this.ended = new Promise((resolve) => {
      const over = (why: string) => {
        clearInterval(watch);
        this.ended_by_itself = this.fault === undefined;
        this.fault ??= this.group?.ran_out_of_memory ? `it used more than ${limits.memory_mb} MB of memory` : why;
        void this.removeGroup();
        resolve(this.fault);
      };
      this.child.once('close', (code, signal) => over(`it ended with ${signal ?? `code ${code}`}`));
      this.child.once('error', (cause) => over(`it could not be started: ${cause.message}`));
    });
  }

  /** The last lines of its error output: it may contain secrets that it was given. */
  get last_words(): string {
    return this.stderr.trim();
  }

  /** False: it has ended, or does not read, and is ended for that. */
  write(text: string): boolean {
    const { stdin } = this.child;
    if (this.fault !== undefined || !stdin || stdin.destroyed) return false;
    if (stdin.writableLength > UNREAD_BYTES_MAX) {
      this.kill('it does not read its input');
      return false;
    }
    stdin.write(text);
    return true;
  }

  kill(why: string): void {
    this.fault ??= why;
    const { pid } = this.child;
    if (pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      this.child.kill('SIGKILL');
    }
  }

  /** Closes its input, and ends it if it does not end by itself. */
  async close(why: string): Promise<void> {
    this.fault ??= why;
    this.child.stdin?.end();
    const late = setTimeout(() => this.kill(why), CLOSE_MS);
    await this.ended;
    clearTimeout(late);
  }

  private watch(): void {
    const { memory_mb, pids_max } = this.terms.limits;
    const used = treeUsage(this.child.pid ?? 0);
    if (used.processes > pids_max) this.kill(`it started more than ${pids_max} processes`);
    else if (used.memory_mb > memory_mb) this.kill(`it used more than ${memory_mb} MB of memory`);
  }

  private async watchState(state: StateFolder): Promise<void> {
    for (let took_ms = 0; this.fault === undefined; ) {
      await sleep(Math.max(STATE_WATCH_MS, took_ms * STATE_WATCH_PAUSES), undefined, { ref: false });
      const began_ms = performance.now();
      if (await isOverfull(state)) this.kill(`its files take more than ${state.bytes_max} bytes`);
      took_ms = performance.now() - began_ms;
    }
  }

  private async removeGroup(): Promise<void> {
    for (let count = 0; count < REMOVE_TRIES && this.group?.remove() === false; count++) await sleep(WATCH_MS, undefined, { ref: false });
  }
}
