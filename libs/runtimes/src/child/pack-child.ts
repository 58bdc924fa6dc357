import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { identityOf, type ProcessIdentity } from '../process-identity.js';
import type { Ask, RuntimePack, ToolJob } from '../runtime.js';
import { messageOf } from '../thrown-error.js';
import { childEnvironment } from './child-environment.js';
import { sentContext } from './context-answers.js';
import { BadFrame, FrameReader, FrameWriter } from './frames.js';
import { diedWithIt, notBegun } from './not-begun.js';
import { PendingAsks } from './pending-asks.js';
import { type FromChild, PROTOCOL_VERSION, type ToChild } from './protocol.js';
import { packOf } from './reported-pack.js';
import { residentMb } from './resident-memory.js';

/** Settings and limits of a child. */
export interface ChildLimits {
  /** Its program; specs use another one. */
  readonly program: URL;
  /** The source of its environment, of which it receives few variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Memory limit, MB; its heap may use half of it. */
  readonly memory_mb: number;
  readonly start_ms: number;
  /** How long a child may leave an abort message unread: after that its thread counts as blocked. */
  readonly blocked_ms: number;
}

const STDERR_CHARS_KEPT = 1000;
const CLOSE_MS = 1000;

/** One child process with one pack, from start to end. */
export class PackChild {
  readonly identity: ProcessIdentity;
  /** Rejects if the child cannot start. */
  readonly loaded: Promise<RuntimePack>;
  /** Resolves once the process has ended. */
  readonly ended: Promise<void>;
  used_at_ms = performance.now();
  /** Why it has ended or is about to end; undefined: it accepts requests. */
  fault: string | undefined;
  /** Whether its fault was an invalid message. */
  garbled = false;
  private readonly process: ChildProcess;
  private readonly writer: FrameWriter | undefined;
  private readonly pending = new PendingAsks((message) => this.send(message));
  private settle!: { resolve(pack: RuntimePack): void; reject(fault: Error): void };
  private is_loaded = false;
  private stderr = '';
  /** Timers of aborts that the child has not acknowledged. */
  private unseen: NodeJS.Timeout[] = [];

  constructor(
    private readonly module: string,
    private readonly limits: ChildLimits,
  ) {
    const heap = `--max-old-space-size=${Math.ceil(limits.memory_mb / 2)}`;
    this.process = spawn(process.execPath, [heap, '--no-warnings', limits.program.pathname], {
      env: childEnvironment(limits.environment),
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.identity = identityOf(this.process.pid ?? 0);
    this.loaded = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    // Callers get the rejection; without a caller it must not be unhandled.
    this.loaded.catch(() => undefined);
    this.ended = new Promise((resolve) => {
      this.process.once('close', (code, signal) => {
        this.over(`it ended with ${signal ?? `code ${code}`}`);
        resolve();
      });
      this.process.once('error', (cause) => {
        this.over(`it could not be started: ${cause.message}`);
        resolve();
      });
    });
    this.writer = this.listen();
    const late = setTimeout(() => this.kill('it did not load its pack in time'), limits.start_ms);
    void this.loaded.finally(() => clearTimeout(late)).catch(() => undefined);
  }

  get idle(): boolean {
    return this.is_loaded && this.pending.idle;
  }

  /** Sends a request to a tool. @throws ToolError: with effect `none` if the request was never handed over */
  async ask(ask: Ask | 'run', job: ToolJob, about?: unknown): Promise<unknown> {
    this.used_at_ms = performance.now();
    if (!this.is_loaded) await this.loaded.catch((cause) => Promise.reject(notBegun(messageOf(cause))));
    if (this.fault !== undefined) throw notBegun(this.fault);
    if (job.context.signal.aborted) throw notBegun('the call was aborted before');
    const { tool, input, context, begin_before_ms } = job;
    const until = begin_before_ms === undefined ? {} : { begin_before_ms };
    const hand = (id: number) => this.send({ kind: 'ask', id, ask, tool, input, about, context: sentContext(context), ...until });
    return this.pending.add(job, hand, () => this.expectAbortSeen());
  }

  /** Ends the child if it exceeds its memory limit. */
  watchMemory(): void {
    const held_mb = residentMb(this.identity.pid);
    if (held_mb !== undefined && held_mb > this.limits.memory_mb) this.kill(`it used more than ${this.limits.memory_mb} MB of memory`);
  }

  kill(why: string): void {
    this.fault ??= why;
    const { pid } = this.process;
    if (pid === undefined || this.process.exitCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      this.process.kill('SIGKILL');
    }
  }

  /** Closes the channel and kills the child if it does not end in time. Its running calls die with it. */
  async close(why: string): Promise<void> {
    this.fault ??= why;
    (this.process.stdio[3] as Socket | null)?.end();
    const late = setTimeout(() => this.kill(why), CLOSE_MS);
    await this.ended;
    clearTimeout(late);
  }

  private listen(): FrameWriter | undefined {
    const channel = this.process.stdio[3] as Socket | null | undefined;
    if (!channel) return undefined;
    const reader = new FrameReader();
    channel.on('data', (bytes: Buffer) => this.read(reader, bytes));
    // The end of the process reports that the channel is closed.
    channel.on('error', () => this.kill('its channel failed'));
    this.process.stderr?.on('data', (bytes: Buffer) => {
      this.stderr = (this.stderr + bytes.toString()).slice(-STDERR_CHARS_KEPT);
    });
    return new FrameWriter(channel);
  }

  private read(reader: FrameReader, bytes: Buffer): void {
    if (this.fault !== undefined) return;
    try {
      for (const message of reader.take(bytes)) this.take(message as FromChild);
    } catch (cause) {
      this.garbled = true;
      this.kill(cause instanceof BadFrame ? cause.message : 'it wrote an invalid message');
    }
  }

  /** @throws if the message is invalid */
  private take(message: FromChild): void {
    switch (message.kind) {
      case 'hello':
        this.greeted(message.protocol);
        break;
      case 'loaded':
        this.settle.resolve(packOf(message.pack));
        this.is_loaded = true;
        this.used_at_ms = performance.now();
        break;
      case 'not_loaded':
        this.kill(`it could not load its pack: ${messageOf(message.message)}`);
        break;
      case 'answer':
        this.pending.answered(message);
        break;
      case 'abort_seen':
        clearTimeout(this.unseen.shift());
        break;
      case 'context':
        void this.pending.context(message);
        break;
      case 'log':
      case 'progress':
        this.pending.report(message);
        break;
      default:
        throw new BadFrame('it wrote a message of an unknown kind');
    }
  }

  private greeted(protocol: number): void {
    if (protocol === PROTOCOL_VERSION) this.send({ kind: 'load', module: this.module });
    else this.kill(`it uses protocol version ${String(protocol)}, not ${PROTOCOL_VERSION}`);
  }

  private expectAbortSeen(): void {
    this.unseen.push(setTimeout(() => this.kill('a tool blocked its thread'), this.limits.blocked_ms).unref());
  }

  private send(message: ToChild): void {
    this.writer?.write(JSON.stringify(message));
  }

  /** The tail of its stderr; withheld if the child received a secret, which could not be masked here. */
  private stderrText(): string {
    if (this.stderr === '') return '';
    return this.pending.has_secrets ? '; its output is withheld because it received secrets' : `: ${this.stderr.trim()}`;
  }

  private over(how: string): void {
    this.fault ??= `${how}${this.stderrText()}`;
    for (const timer of this.unseen) clearTimeout(timer);
    const { fault } = this;
    this.settle.reject(new Error(fault));
    this.pending.rejectAll(() => diedWithIt(fault));
  }
}
