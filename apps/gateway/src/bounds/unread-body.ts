import type { IncomingMessage } from 'node:http';
import type { OutgoingReply } from '../http/reply.js';

/** How much of a refused body is read and discarded, so that a client that sends before it reads still gets the response. */
export interface Leniency {
  bytes_max: number;
  wait_ms: number;
}

/** Who has no key costs next to nothing; who has one may send most of a body that is too large. */
export const KEYLESS: Leniency = { bytes_max: 65_536, wait_ms: 1_000 };
export const KEYED: Leniency = { bytes_max: 4_194_304, wait_ms: 3_000 };

const dropped = new WeakSet<IncomingMessage>();

/**
 * Discards an unwanted body while the response is sent. Within the bounds the connection stays open.
 * Beyond the bytes nothing is read; when the time is over the connection is closed. Only the first call for a request counts.
 */
export function dropUnread(request: IncomingMessage, { bytes_max, wait_ms }: Leniency): void {
  if (request.complete || request.destroyed || dropped.has(request)) return;
  dropped.add(request);
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytes_max) request.pause();
  });
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, wait_ms);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
}

/**
 * Says before its answer that the connection of a body that will not be read whole ends with it. A client that has handed all of its
 * body to its system otherwise sends the next request behind the rest, and loses it. The socket is only half closed after the answer:
 * a socket that is closed over unread bytes takes the answer along.
 */
export function endAfterAnswer(request: IncomingMessage, reply: OutgoingReply, { bytes_max }: Leniency): void {
  const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (request.complete || length <= bytes_max) return;
  const { socket } = request;
  // What Node calls after the last answer of a connection.
  socket.destroySoon = () => socket.end();
  reply.header('connection', 'close');
}
