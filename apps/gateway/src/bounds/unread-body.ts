import type { IncomingMessage } from 'node:http';
import type { OutgoingReply } from '../http/reply.js';

/** How much of a refused body is read and discarded, so that a client that sends before it reads still gets the response. */
export interface Leniency {
  bytes_max: number;
  wait_ms: number;
}

/** A caller without a key gets little; a caller with a key may send most of a body that is too large. */
export const KEYLESS: Leniency = { bytes_max: 65_536, wait_ms: 1_000 };
export const KEYED: Leniency = { bytes_max: 4_194_304, wait_ms: 3_000 };

const dropped = new WeakSet<IncomingMessage>();

/**
 * Discards an unwanted body while the response is sent. Within the bounds the connection stays open. Beyond `bytes_max` reading stops;
 * after `wait_ms` the connection is closed. Only the first call for a request counts.
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
 * Sends `Connection: close` with the response if the body will not be read completely. Otherwise a client that has written its whole body
 * would send, and lose, the next request. The socket is only half-closed after the response: a full close with unread bytes would discard
 * the response.
 */
export function endAfterAnswer(request: IncomingMessage, reply: OutgoingReply, { bytes_max }: Leniency): void {
  const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (request.complete || length <= bytes_max) return;
  const { socket } = request;
  // Node calls this after the last response of a connection.
  socket.destroySoon = () => socket.end();
  reply.header('connection', 'close');
}
