import { Worker } from 'node:worker_threads';
import { DocumentFault } from '../document.js';
import { type CompiledPart, type CompileJob, type CompileMessage, MORE } from './compile-message.js';

const WORKER = new URL('./compile-worker.js', import.meta.url);
const HEAP_MIB_MAX = 768;
/** A document of 16 MB takes about ten seconds. */
export const COMPILE_MS_MAX = 60_000;

/**
 * Compiles a document in a thread of its own, and yields its parts as the caller asks for them. The thread has a limited heap and ends with
 * the iteration. @throws DocumentFault if the document cannot be used, or takes too much memory or time
 */
export async function* compileInThread(job: CompileJob, time_ms = COMPILE_MS_MAX): AsyncGenerator<CompiledPart, void> {
  const worker = new Worker(WORKER, { workerData: job, resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX }, env: {} });
  const thread = new CompileThread(worker);
  const timer = setTimeout(() => thread.stop(`the document takes more than ${time_ms / 1000} s`), time_ms);
  try {
    for (;;) {
      const message = await thread.ask();
      if (message.kind === 'fault') throw new DocumentFault(message.message);
      yield message;
      if (message.done) return;
    }
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

/** The conversation with a thread: one question at a time. */
class CompileThread {
  private pending: ((message: CompileMessage) => void) | undefined;
  private ended: CompileMessage | undefined;

  constructor(private readonly worker: Worker) {
    worker.on('message', (message: CompileMessage) => this.settle(message));
    worker.on('error', (cause: Error & { code?: string }) =>
      this.stop(cause.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'the document takes too much memory' : 'the document cannot be read'),
    );
    worker.on('exit', () => this.stop('the document cannot be read'));
  }

  ask(): Promise<CompileMessage> {
    if (this.ended) return Promise.resolve(this.ended);
    return new Promise((settle) => {
      this.pending = settle;
      this.worker.postMessage(MORE);
    });
  }

  /** The first reason counts. */
  stop(message: string): void {
    this.ended ??= { kind: 'fault', message };
    this.settle(this.ended);
  }

  private settle(message: CompileMessage): void {
    this.pending?.(message);
    this.pending = undefined;
  }
}
