import { isToolError, ToolError } from '@countersign/tool-kit';
import { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { toolErrorOfFault } from '../http/exchange.js';
import { faultOfStatus } from '../http/http-response.js';
import { messageOf } from '../thrown-error.js';
import type { Exchange } from './exchange.js';

/** Errors of the protocol by which a server refuses a request before it runs a tool. */
const REFUSALS: ReadonlySet<number> = new Set([
  ProtocolErrorCode.ParseError,
  ProtocolErrorCode.InvalidRequest,
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.InvalidParams,
]);

/** The call was certainly not handed to the server: nothing has happened. */
export const notHandedOver = (why: string): ToolError =>
  new ToolError('NETWORK_ERROR', `the call was not sent to the upstream: ${why}`, { effect: 'none' });

/** The server has answered with a redirect, which is not followed: a contract names one address. */
const redirected = (status: number): ToolError =>
  new ToolError('PROVIDER_ERROR', `the upstream redirects (${status}), which is not followed: set its final address`, {
    retryable: false,
    // A server that has acted may answer so as well.
    ...(status === 307 || status === 308 ? { effect: 'none' as const } : {}),
  });

/** The error for a request that failed. Its effect is `none` only if the server cannot have run a tool. */
export function toolErrorOf(cause: unknown, exchange: Exchange): ToolError {
  if (isToolError(cause)) return cause;
  const { fault, refusal } = exchange;
  if (fault?.reason === 'network' && !fault.unsent)
    return new ToolError('NETWORK_ERROR', `the answer of the upstream is lost: ${fault.message}`);
  if (fault) return toolErrorOfFault(fault);
  if (!exchange.is_handed_over) return notHandedOver(messageOf(cause));
  if (cause instanceof ProtocolError) return ofProtocol(cause);
  if (refusal && refusal.status < 400) return redirected(refusal.status);
  if (refusal) return ofStatus({ ...refusal, text: refusal.text });
  if (cause instanceof SdkError) return ofLibrary(cause);
  return new ToolError('PROVIDER_ERROR', `the upstream broke the protocol: ${messageOf(cause)}`, { retryable: false });
}

function ofProtocol({ code, message }: ProtocolError): ToolError {
  const details = { protocol_error: code };
  if (REFUSALS.has(code))
    return new ToolError('VALIDATION_ERROR', `the upstream refused the call: ${message}`, { effect: 'none', details });
  return new ToolError('PROVIDER_ERROR', `the upstream failed: ${message}`, { retryable: false, details });
}

function ofStatus({ status, headers, text }: { status: number; headers: Readonly<Record<string, string>>; text: string }): ToolError {
  const answer = { kind: 'answered' as const, url: '', status, headers, bytes: Buffer.from(text), cut: false, redirects: [] };
  return (
    faultOfStatus(answer, true) ?? new ToolError('PROVIDER_ERROR', `the upstream answered with status ${status}`, { retryable: false })
  );
}

function ofLibrary(cause: SdkError): ToolError {
  switch (cause.code) {
    case SdkErrorCode.RequestTimeout:
      return new ToolError('TIMEOUT', 'the upstream did not answer in time', { retryable: false });
    case SdkErrorCode.ConnectionClosed:
      return new ToolError('NETWORK_ERROR', 'the connection to the upstream ended before it answered');
    default:
      return new ToolError('PROVIDER_ERROR', `the upstream broke the protocol: ${messageOf(cause)}`, { retryable: false });
  }
}
