import type { ErrorCode, Outcome } from '@countersign/contracts';

/** Errors that speak of the provider or the tool itself, whatever their class. */
const PROVIDER_CODES: ReadonlySet<ErrorCode> = new Set(['TIMEOUT', 'NETWORK_ERROR', 'SANDBOX_ERROR']);

/** The cause of a doubt is in the details of its error (`inDoubt`). Undefined: none, or the details are encrypted. */
function causeOf(details_json: string | null): ErrorCode | undefined {
  try {
    return (JSON.parse(details_json ?? '{}') as { cause?: { code?: ErrorCode } }).cause?.code;
  } catch {
    return undefined;
  }
}

function isOfProvider({ code, class: kind, details_json }: NonNullable<Outcome['error']>): boolean {
  const cause = code === 'IN_DOUBT' ? causeOf(details_json) : undefined;
  if (PROVIDER_CODES.has(cause ?? code)) return true;
  // A provider that finds nothing or refuses the request works.
  return cause === 'PROVIDER_ERROR' || (code === 'PROVIDER_ERROR' && (kind === 'server' || kind === 'transient'));
}

/**
 * What the end of a call says about its tool; undefined: nothing. Inputs that are refused, denials, missing credentials, cancellations and
 * rate limits say nothing (a rate limit has its own time to wait), nor does an answer from the cache, nor a call that its caller's deadline
 * cut off.
 */
export function circuitOutcomeOf(outcome: Outcome, deadline_ms: number | null): 'succeeded' | 'failed' | undefined {
  const { status, error, extras, ended_at_ms } = outcome;
  if (status === 'succeeded') return extras?.cached ? undefined : 'succeeded';
  if (!error || (status !== 'failed' && status !== 'in_doubt')) return undefined;
  if (deadline_ms !== null && ended_at_ms >= deadline_ms) return undefined;
  return isOfProvider(error) ? 'failed' : undefined;
}
