const WAIT_DEFAULT_MS = 30_000;
const WAIT_MAX_MS = 60_000;
/** How long a change waits for the instances that rule by it, where its caller does not say. */
const CHANGE_WAIT_DEFAULT_MS = 1000;

/** How long the caller of a tool is willing to wait (`Prefer`, RFC 7240), ms. `respond-async` alone means not at all. */
export function waitOf(prefer: string | undefined): number {
  return preferredWait(prefer) ?? WAIT_DEFAULT_MS;
}

/** How long whoever changes the configuration is willing to wait until every instance has it, ms. */
export function waitOfChange(prefer: string | undefined): number {
  return preferredWait(prefer) ?? CHANGE_WAIT_DEFAULT_MS;
}

function preferredWait(prefer: string | undefined): number | undefined {
  if (prefer === undefined) return undefined;
  const match = /(?:^|[,\s;])wait\s*=\s*"?(\d{1,6})"?/i.exec(prefer);
  if (match) return Math.min(WAIT_MAX_MS, Number(match[1]) * 1000);
  return /(?:^|[,\s;])respond-async/i.test(prefer) ? 0 : undefined;
}
