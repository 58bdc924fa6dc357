import { deprecationNotice, type LifecycleEntry } from '@countersign/domain';

/** What a caller of a deprecated version is told: in the envelope, and by headers (RFC 9745 and RFC 8594). */
export interface Deprecation {
  warning: string;
  headers: Readonly<Record<string, string>>;
}

export function deprecationOf(name: string, version: string, entry: LifecycleEntry): Deprecation {
  const headers: Record<string, string> = { deprecation: `@${Math.floor(entry.changed_at_ms / 1000)}` };
  if (entry.sunset_at_ms !== null) headers.sunset = new Date(entry.sunset_at_ms).toUTCString();
  return { warning: deprecationNotice(name, version, entry), headers };
}
