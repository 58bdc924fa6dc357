import { isLoopback } from '@countersign/process';
import type { IncomingRequest } from './reply.js';

/** A Host header of this machine, with or without a port. */
export const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** True if the request comes from this machine itself and no proxy says that it forwarded it. */
export function isFromLoopback({ headers, raw }: Pick<IncomingRequest, 'headers' | 'raw'>): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false;
  return LOOPBACK_HOST.test(headers.host ?? '') && isLoopback(raw.socket.remoteAddress);
}
