import { failed, type OutboundFault } from './exchange.js';

/** Errors of a connection that was never established: nothing was sent. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** undici has no error code for a tunnel that the proxy refuses; the request itself is only sent through a tunnel. */
const REFUSED_BY_PROXY = /^Proxy response \(\d+\)/;

/** Classifies a connection error. An abort counts as a timeout: the request may have been sent. */
export function networkFault(cause: unknown, signal: AbortSignal): OutboundFault {
  const { code = null, message } = cause as { code?: string; message?: string };
  if (signal.aborted) return failed('timeout', 'the response did not arrive in time', { code, unsent: false });
  if (code === 'ERR_ADDRESS_REFUSED') return failed('address', message ?? 'the address is not allowed', { code });
  const unsent = (code !== null && UNSENT.has(code)) || REFUSED_BY_PROXY.test(message ?? '');
  return failed('network', message ?? 'unknown cause', { code, unsent });
}
