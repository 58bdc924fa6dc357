import { chmodSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { FrontendMessages } from '../wire/frontend.js';
import { keepPrivate } from './private-files.js';
import type { BackendOptions, WireStatement } from './protocol.js';
import { startParams } from './settings.js';

const ERROR_RESPONSE = 0x45;
/** No parameter formats, no parameter values. */
const NO_PARAMS = new Uint8Array(4);

/** Whether one of the messages is an ErrorResponse. */
function failed(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 5 <= bytes.byteLength; at += 1 + view.getInt32(at + 1)) if (bytes[at] === ERROR_RESPONSE) return true;
  return false;
}

/**
 * PGlite queries the catalog for its array types, which only its own result parser uses: this takes a third of the time to open and makes
 * V8 compile the planner.
 */
class RawPGlite extends PGlite {
  override async _initArrayTypes(): Promise<void> {}
}

/** PGlite through raw protocol messages: statements are prepared once by name, with one Sync for each request. Runs synchronously. */
export class Backend {
  readonly #db: PGlite;
  readonly #out = new FrontendMessages();
  readonly #prepared = new Set<string>();
  readonly #texts = new Map<string, string>();

  private constructor(db: PGlite) {
    this.#db = db;
  }

  static async start(options: BackendOptions, endThread: () => never): Promise<Backend> {
    if (options.dir !== null) mkdirSync(options.dir, { recursive: true, mode: 0o700 });
    if (options.dir !== null) chmodSync(options.dir, 0o700);
    const db = new RawPGlite({
      dataDir: options.dir ?? 'memory://',
      startParams: startParams(PGlite.defaultStartParams),
      ...((await isEmpty(options.dir)) ? { loadDataDir: new Blob([new Uint8Array(await readFile(options.snapshot))]) } : {}),
    });
    await db.waitReady;
    stopOnPanic(db, endThread);
    if (options.dir !== null) keepPrivate(db, options.dir);
    return new Backend(db);
  }

  /** Returns the backend's response unchanged. */
  run(statements: readonly WireStatement[], params: Uint8Array): Uint8Array {
    const only = statements[0];
    if (statements.length === 1 && only?.simple) {
      this.#out.simple(only.text ?? '');
      return this.#exec(this.#out.take());
    }
    const fresh: string[] = [];
    for (const statement of statements) this.#write(statement, params, fresh);
    this.#out.sync();
    const bytes = this.#exec(this.#out.take());
    if (fresh.length > 0) this.#remember(fresh, bytes);
    return bytes;
  }

  async close(): Promise<void> {
    await this.#db.close();
  }

  /**
   * `execProtocolRawSync` parses every response and retains it for ever, which ended the thread after some GB of rows; the streaming form
   * only passes the bytes on. It also does all its work before it returns its promise.
   */
  #exec(messages: Uint8Array): Uint8Array {
    const parts: Uint8Array[] = [];
    const onRawData = (part: Uint8Array) => void parts.push(part.slice());
    void this.#db.execProtocolRawStream(messages, { syncToFs: false, onRawData });
    if (parts.length === 1) return parts[0] as Uint8Array;
    const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  #write({ name, text, from, to, copy }: WireStatement, params: Uint8Array, fresh: string[]): void {
    if (name !== '' && text !== null) this.#texts.set(name, text);
    if (name === '' || (!this.#prepared.has(name) && !fresh.includes(name))) {
      this.#out.parse(name, text ?? this.#texts.get(name) ?? '');
      if (name !== '') fresh.push(name);
    }
    const bytes = params.subarray(from, to);
    this.#out.bind(name, copy ? NO_PARAMS : bytes);
    this.#out.describePortal();
    this.#out.execute();
    if (copy) this.#out.copyData(bytes);
  }

  #remember(fresh: readonly string[], bytes: Uint8Array): void {
    if (!failed(bytes)) {
      for (const name of fresh) this.#prepared.add(name);
      return;
    }
    // A Parse before the error took effect, one after it was skipped: close them all (closing an unknown name is no error).
    for (const name of fresh) this.#out.closeStatement(name);
    this.#out.sync();
    this.#exec(this.#out.take());
  }
}

/** Exit status of PGlite's build for an ordinary statement error; any other status is a PANIC or FATAL. */
const ORDINARY_ERROR = 100;

/**
 * PGlite swallows every exception of its backend and calls it again, endlessly if the backend is dead (a PANIC on a full disk). Ending
 * the thread instead acts like a killed process: the store opens the files again.
 */
function stopOnPanic(db: PGlite, endThread: () => never): void {
  const module = db.Module as unknown as { _PostgresMainLoopOnce: () => void };
  const step = module._PostgresMainLoopOnce;
  module._PostgresMainLoopOnce = () => {
    try {
      step();
    } catch (error) {
      if ((error as { status?: number }).status !== ORDINARY_ERROR) endThread();
      throw error;
    }
  };
}

async function isEmpty(dir: string | null): Promise<boolean> {
  if (dir === null) return true;
  return await readFile(`${dir}/PG_VERSION`).then(
    () => false,
    () => true,
  );
}
