import type { IncomingMessage } from 'node:http';

const BYTES_MAX = 64 * 1024 * 1024;
const WAIT_MS = 5_000;

/**
 * Reads the rest of a refused body and throws it away, as far as that is worth it: a client that is still sending when
 * the connection is closed sees a reset instead of the answer.
 */
export function dropRestOfBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const done = () => {
      clearTimeout(timer);
      request.off('data', count);
      resolve();
    };
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > BYTES_MAX) done();
    };
    const timer = setTimeout(done, WAIT_MS);
    request.on('data', count);
    for (const event of ['end', 'close', 'error']) request.once(event, done);
    request.resume();
  });
}
