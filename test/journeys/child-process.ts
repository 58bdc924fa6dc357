import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Below 32768, from where Linux takes the ports of outgoing connections: one of those could get the port between the check and the
 * listen.
 */
const PORT_FIRST = 20_000;
const PORT_LAST = 32_767;
const TRIES = 50;

/**
 * A free loopback TCP port that no other process of specs is given while this one runs: a stopped platform finds it free when it starts
 * again. It is reserved by the UDP port of the same number, which the system releases with this process.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < TRIES; tried++) {
    const port = PORT_FIRST + randomInt(PORT_LAST - PORT_FIRST + 1);
    if ((await isFree(port)) && (await isReserved(port))) return port;
  }
  throw new Error(`none of ${TRIES} ports from ${PORT_FIRST} is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** False if a process of specs has it. */
function isReserved(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const reservation = createSocket('udp4');
    reservation.once('error', () => reservation.close(() => resolve(false)));
    reservation.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      reservation.unref();
      resolve(true);
    });
  });
}

const OUTPUT_MAX = 2_000_000;

/**
 * Short-lived processes gain nothing from optimized WebAssembly and from a heap that grows in steps: compiling PGlite's 9 MB took a third
 * of a start's CPU time, and collections until the heap had its size a seventh.
 */
const SHORT_LIVED = ['--wasm-tiering-budget=400000000', '--min-semi-space-size=16', '--max-semi-space-size=64', '--initial-heap-size=256'];

/** One tested process of the platform: started, killed and ended by its own pid, with its output for the failure message. It ends with this process. */
export class TestedProcess {
  private child: ChildProcess | undefined;
  private exited: Promise<number | NodeJS.Signals> = Promise.resolve(0);
  output = '';
  /** Occurrences of the counted phrases in output that was discarded. */
  private readonly dropped = new Map<string, number>();

  constructor(
    readonly script: string,
    private readonly env: Record<string, string>,
  ) {}

  get pid(): number {
    return this.child?.pid ?? -1;
  }

  get alive(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  start(more: Record<string, string> = {}): void {
    const child = spawn(process.execPath, [...SHORT_LIVED, this.script], {
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...this.env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    const keep = (chunk: Buffer) => this.keep(chunk.toString());
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    this.exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal ?? 0)));
    const endToo = () => child.kill('SIGKILL');
    process.once('exit', endToo);
    child.once('exit', () => process.off('exit', endToo));
  }

  private keep(text: string): void {
    this.output += text;
    if (this.output.length <= OUTPUT_MAX) return;
    const end = this.output.lastIndexOf('\n', this.output.length - OUTPUT_MAX / 2) + 1;
    const taken = this.output.slice(0, end);
    for (const [phrase, times] of this.dropped) this.dropped.set(phrase, times + taken.split(phrase).length - 1);
    this.output = this.output.slice(end);
  }

  /** How often the output contains this phrase; discarded output counts from the first call on. */
  logged(phrase: string): number {
    if (!this.dropped.has(phrase)) this.dropped.set(phrase, 0);
    return (this.dropped.get(phrase) as number) + this.output.split(phrase).length - 1;
  }

  signal(name: NodeJS.Signals): void {
    if (this.alive) this.child?.kill(name);
  }

  /** Ends it and resolves with its exit code or signal; sends SIGKILL after the grace period. */
  async stop(name: NodeJS.Signals = 'SIGTERM', grace_ms = 15_000): Promise<number | NodeJS.Signals> {
    this.signal(name);
    const killer = setTimeout(() => this.signal('SIGKILL'), grace_ms);
    const code = await this.exited;
    clearTimeout(killer);
    return code;
  }

  exit(): Promise<number | NodeJS.Signals> {
    return this.exited;
  }

  /** Polls until the check holds. @throws with the process's output if the process ends first or takes too long. */
  async until(what: string, check: () => Promise<boolean>, timeout_ms = 200_000): Promise<void> {
    const end = performance.now() + timeout_ms;
    while (performance.now() < end) {
      if (!this.alive) throw new Error(`${this.script} ended before ${what}:\n${this.output}`);
      if (await check().catch(() => false)) return;
      await sleep(50);
    }
    throw new Error(`${this.script}: no ${what} within ${timeout_ms} ms:\n${this.output}`);
  }
}
