const WAIT_DEFAULT_MS = 30_000;
const WAIT_MAX_MS = 60_000;
/** How long a request waits for other services by default. */
const OTHERS_DEFAULT_MS = 1000;

/** How long a caller is willing to wait for a tool (`Prefer`, RFC 7240), ms. `respond-async` alone means no wait. */
export function waitOf(prefer: string | undefined): number {
  return preferredWait(prefer) ?? WAIT_DEFAULT_MS;
}

/** As `waitOf`, for a request that does not wait unless its caller prefers it. */
export function waitIfPreferred(prefer: string | undefined): number {
  return preferredWait(prefer) ?? 0;
}

/** A request with an optional wait preference. */
export interface PatientRequest {
  readonly headers: { readonly [name: string]: string | string[] | undefined };
}

/** How long a change waits until every instance has it, and a read until the views have what the caller saw before, ms. */
export function waitForOthers(prefer: string | string[] | undefined): number {
  return preferredWait(Array.isArray(prefer) ? prefer.join(',') : prefer) ?? OTHERS_DEFAULT_MS;
}

function preferredWait(prefer: string | undefined): number | undefined {
  if (prefer === undefined) return undefined;
  const match = /(?:^|[,\s;])wait\s*=\s*"?(\d{1,6})"?/i.exec(prefer);
  if (match) return Math.min(WAIT_MAX_MS, Number(match[1]) * 1000);
  return /(?:^|[,\s;])respond-async/i.test(prefer) ? 0 : undefined;
}
