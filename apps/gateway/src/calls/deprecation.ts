import type { Deprecation } from '@countersign/calls';

/** Headers of RFC 9745 and RFC 8594. */
export function deprecationHeaders({ changed_at_ms, sunset_at_ms }: Deprecation): Record<string, string> {
  const headers: Record<string, string> = { deprecation: `@${Math.floor(changed_at_ms / 1000)}` };
  if (sunset_at_ms !== null) headers.sunset = new Date(sunset_at_ms).toUTCString();
  return headers;
}
