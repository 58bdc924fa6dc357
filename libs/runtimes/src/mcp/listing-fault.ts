import { isToolError } from '@countersign/tool-kit';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { messageOf } from '../thrown-error.js';
import { DoorFault } from './door-fetch.js';
import type { Exchange } from './exchange.js';
import { SessionNotOpened } from './mcp-session.js';
import { EndedBefore, UpstreamUnusable } from './not-started.js';
import { ListingTooLarge } from './pages.js';
import type { Listing, ListingFault } from './upstream.js';

type Failed = Extract<Listing, { kind: 'failed' }>;

const RETRYABLE: ReadonlySet<ListingFault> = new Set(['unreachable', 'timeout', 'closed']);

const failure = (fault: ListingFault, reason: string): Failed => ({ kind: 'failed', fault, reason, is_retryable: RETRYABLE.has(fault) });

const OF_DOOR = {
  not_a_url: 'configuration',
  scheme: 'configuration',
  credentials: 'configuration',
  address: 'configuration',
  redirect: 'configuration',
  downgrade: 'configuration',
  timeout: 'timeout',
  too_large: 'bounds',
  network: 'unreachable',
} as const satisfies Record<DoorFault['fault']['reason'], ListingFault>;

/** Why a listing failed, from what its requests threw. */
export function listingFault(cause: unknown, exchange: Exchange | undefined): Failed {
  if (cause instanceof SessionNotOpened) return listingFault(cause.cause, cause.exchange);
  const message = messageOf(cause);
  const fault = exchange?.fault ?? (cause instanceof DoorFault ? cause.fault : undefined);
  if (fault) return failure(OF_DOOR[fault.reason], fault.message);
  if (cause instanceof UpstreamUnusable) return failure('configuration', message);
  if (cause instanceof EndedBefore) return failure('closed', message);
  if (cause instanceof ListingTooLarge) return failure('bounds', message);
  if (isToolError(cause)) return failure('unreachable', message);
  const status = exchange?.refusal?.status ?? statusOf(cause);
  if (status === 401 || status === 403) return failure('credentials', `the upstream refuses the credentials (status ${status})`);
  if (status !== undefined) return failure(status >= 500 ? 'unreachable' : 'protocol', `the upstream answered with status ${status}`);
  if (cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout)
    return failure('timeout', 'the upstream did not answer in time');
  if (cause instanceof SdkError && cause.code === SdkErrorCode.ConnectionClosed) return failure('closed', message);
  return failure('protocol', message);
}

function statusOf(cause: unknown): number | undefined {
  const { status } = Object((cause as { data?: unknown } | null)?.data ?? cause) as { status?: unknown };
  return typeof status === 'number' ? status : undefined;
}
