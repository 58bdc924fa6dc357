import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Backend } from './backend.js';
import type { BackendOptions, BackendRequest, FromBackend, ToBackend } from './protocol.js';

/** With the bytes that contain its parameters. */
type QueuedRequest = BackendRequest & { bytes: Uint8Array };

/** The queue of the worker thread: hot before background, and only the requests of the open transaction while one is open. */
class RequestLoop {
  readonly #hot: QueuedRequest[] = [];
  readonly #background: QueuedRequest[] = [];
  #session: number | null = null;
  #closing = false;

  constructor(
    private readonly backend: Backend,
    private readonly port: NonNullable<typeof parentPort>,
  ) {}

  async accept(message: ToBackend): Promise<void> {
    this.#queue(message);
    let request = this.#next();
    while (request) {
      this.#run(request);
      // Reads new messages between two requests without a turn of the event loop, so that a hot one runs first.
      for (let more = receiveMessageOnPort(this.port); more; more = receiveMessageOnPort(this.port)) this.#queue(more.message);
      request = this.#next();
    }
    if (this.#closing) await this.#close();
  }

  #queue(message: ToBackend): void {
    if (message.kind === 'close') {
      this.#closing = true;
      return;
    }
    for (const request of message.requests) (request.background ? this.#background : this.#hot).push({ ...request, bytes: message.bytes });
  }

  #next(): QueuedRequest | undefined {
    if (this.#session === null) return this.#hot.shift() ?? this.#background.shift();
    const at = this.#hot.findIndex((request) => request.session === this.#session);
    return at < 0 ? undefined : this.#hot.splice(at, 1)[0];
  }

  #run(request: QueuedRequest): void {
    this.#session = request.closes ? null : request.session;
    const bytes = this.backend.run(request.statements, request.bytes);
    this.#send({ kind: 'answers', answers: [{ id: request.id, bytes }] }, [bytes.buffer as ArrayBuffer]);
  }

  async #close(): Promise<void> {
    await this.backend.close();
    this.#send({ kind: 'closed' });
    this.port.close();
  }

  #send(message: FromBackend, transfer: ArrayBuffer[] = []): void {
    this.port.postMessage(message, transfer);
  }
}

async function main(): Promise<void> {
  if (!parentPort) throw new Error('run as a worker thread');
  const port = parentPort;
  let loop: RequestLoop;
  try {
    loop = new RequestLoop(await Backend.start(workerData as BackendOptions, () => process.exit(1)), port);
  } catch (error) {
    port.postMessage({ kind: 'unusable', message: error instanceof Error ? error.message : String(error) } satisfies FromBackend);
    return;
  }
  port.on('message', (message: ToBackend) => {
    loop.accept(message).catch((error: unknown) => {
      setImmediate(() => {
        throw error;
      });
    });
  });
  port.postMessage({ kind: 'ready' } satisfies FromBackend);
}

await main();
