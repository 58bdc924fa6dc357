import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { InfrastructureFault } from '@countersign/contracts';
import { sqlFault } from '../sql-error.js';
import type { Statement } from '../store.js';
import { BackendMessages, type WireAnswer } from '../wire/backend.js';
import { ParamWriter } from '../wire/param-writer.js';
import type { BackendOptions, BackendRequest, FromBackend, ToBackend, WireStatement } from './protocol.js';

interface Waiting {
  resolve: (answer: WireAnswer) => void;
  reject: (error: Error) => void;
}

export interface RunOptions {
  background?: boolean;
  session?: number;
  closes?: boolean;
}

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));

/** The database could not be opened: its files are damaged, of another version, or not accessible. */
export class DatabaseUnusable extends Error {}

/** One worker thread that runs PGlite. The requests of one tick are sent in one message, with their parameters in one block of bytes. */
export class PgliteConnection {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #outbox: BackendRequest[] = [];
  readonly #params = new ParamWriter();
  readonly #named = new Set<string>();
  #lastId = 0;
  #lost: Error | null = null;
  #closed: (() => void) | null = null;
  readonly #started: (failure: string | null) => void;

  private constructor(worker: Worker, started: (failure: string | null) => void) {
    this.#worker = worker;
    this.#started = started;
    worker.on('message', (message: FromBackend) => this.#receive(message));
    worker.on('error', (error) => this.#lose(error));
    worker.on('exit', () => this.#lose(new Error('the database thread ended')));
  }

  /** @throws DatabaseUnusable */
  static async open(options: BackendOptions): Promise<PgliteConnection> {
    const worker = new Worker(WORKER, { workerData: options });
    let connection: PgliteConnection | undefined;
    const failure = await new Promise<string | null>((resolve) => {
      connection = new PgliteConnection(worker, resolve);
    });
    if (failure === null && connection) return connection;
    await worker.terminate();
    throw new DatabaseUnusable(failure ?? 'the database thread did not start');
  }

  get lost(): boolean {
    return this.#lost !== null;
  }

  /** One round trip; outside a session all statements are one transaction. */
  run(statements: readonly Statement[], options: RunOptions = {}): Promise<WireAnswer> {
    if (this.#lost) return Promise.reject(new InfrastructureFault('the database is unavailable', { cause: this.#lost }));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const request: BackendRequest = {
        id,
        statements: this.#write(statements),
        background: options.background ?? false,
        session: options.session ?? null,
        closes: options.closes ?? false,
      };
      this.#waiting.set(id, { resolve, reject });
      if (this.#outbox.push(request) === 1) queueMicrotask(() => this.#flush());
    });
  }

  /** Finishes pending requests, then stops the thread. */
  async close(): Promise<void> {
    if (this.#lost) return;
    this.#flush();
    await new Promise<void>((resolve) => {
      this.#closed = resolve;
      this.#post({ kind: 'close' });
    });
    this.#lost = new Error('the store is closed');
    await this.#worker.terminate();
  }

  #flush(): void {
    if (this.#outbox.length === 0) return;
    const requests = this.#outbox;
    this.#outbox = [];
    const bytes = this.#params.take();
    this.#post({ kind: 'run', requests, bytes }, [bytes.buffer as ArrayBuffer]);
  }

  #write(statements: readonly Statement[]): WireStatement[] {
    const written = statements.map(({ name = '', text, params, copy }) => {
      const from = this.#params.used;
      if (copy) this.#params.copyRows(params, copy);
      else this.#params.params(text, params);
      const known = name !== '' && this.#named.has(name);
      const simple = name === '' && params.length === 0;
      return { name, text: known ? null : text, from, to: this.#params.used, copy: copy !== undefined, simple };
    });
    for (const { name } of written) if (name !== '') this.#named.add(name);
    return written;
  }

  #post(message: ToBackend, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #receive(message: FromBackend): void {
    switch (message.kind) {
      case 'answers':
        for (const { id, bytes } of message.answers) this.#settle(id, bytes);
        break;
      case 'ready':
        this.#started(null);
        break;
      case 'unusable':
        this.#started(message.message);
        break;
      case 'closed':
        this.#closed?.();
        break;
    }
  }

  #settle(id: number, bytes: Uint8Array): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (!waiting) return;
    try {
      const answer = new BackendMessages(bytes).decode();
      if (answer.error) waiting.reject(sqlFault(answer.error.sqlstate, answer.error.message));
      else waiting.resolve(answer);
    } catch (error) {
      waiting.reject(error as Error);
    }
  }

  #lose(error: Error): void {
    this.#lost ??= error;
    this.#started(error.message);
    this.#closed?.();
    for (const { reject } of this.#waiting.values()) reject(new InfrastructureFault('the database stopped', { cause: error }));
    this.#waiting.clear();
  }
}
