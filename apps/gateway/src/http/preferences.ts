const WAIT_DEFAULT_MS = 30_000;
const WAIT_MAX_MS = 60_000;

/** How long the caller is willing to wait (`Prefer`, RFC 7240), ms. `respond-async` alone means not at all. */
export function waitOf(prefer: string | undefined): number {
  if (prefer === undefined) return WAIT_DEFAULT_MS;
  const match = /(?:^|[,\s;])wait\s*=\s*"?(\d{1,6})"?/i.exec(prefer);
  if (match) return Math.min(WAIT_MAX_MS, Number(match[1]) * 1000);
  return /(?:^|[,\s;])respond-async/i.test(prefer) ? 0 : WAIT_DEFAULT_MS;
}
