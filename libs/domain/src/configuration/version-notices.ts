import { DAY_MS } from '../durations.js';
import { type LifecycleEntry, versionKey } from '../registry/record.js';
import type { ConfigurationState } from './state/configuration.js';

/** How many days before the sunset of a version its callers are notified, nearest first. */
const DAYS_BEFORE = [7, 30] as const;

/** A notice to the callers of a version; sent once. */
export interface VersionNotice {
  /** The same in every gateway and after every restart. */
  notice_id: string;
  tenant_id: string;
  type: 'tool.version_sunset' | 'tool.version_revoked';
  tool: string;
  version: string;
  /** Whole days until the sunset; null if the version is revoked. */
  days_left: number | null;
  entry: LifecycleEntry;
}

/** A version whose sunset has passed. */
export interface EndedVersion {
  tenant_id: string;
  tool: string;
  version: string;
  entry: LifecycleEntry;
}

function dueOf(tenant_id: string, tool: string, version: string, entry: LifecycleEntry, now_ms: number): VersionNotice | undefined {
  const about = { tenant_id, tool, version, entry };
  const id = `${tenant_id}/${versionKey(tool, version)}`;
  if (entry.state === 'blocked')
    return { ...about, notice_id: `${id}/revoked/${entry.changed_at_ms}`, type: 'tool.version_revoked', days_left: null };
  if (entry.state !== 'deprecated' || entry.sunset_at_ms === null || entry.sunset_at_ms <= now_ms) return undefined;
  const left_ms = entry.sunset_at_ms - now_ms;
  const before = DAYS_BEFORE.find((days) => left_ms <= days * DAY_MS);
  if (before === undefined) return undefined;
  return {
    ...about,
    notice_id: `${id}/sunset/${entry.sunset_at_ms}/${before}d`,
    type: 'tool.version_sunset',
    days_left: Math.ceil(left_ms / DAY_MS),
  };
}

/** Due notices that were not sent yet, and deprecated versions past their sunset. */
export function dueVersionNotices(state: ConfigurationState, now_ms: number): { notices: VersionNotice[]; ended: EndedVersion[] } {
  const notices: VersionNotice[] = [];
  const ended: EndedVersion[] = [];
  for (const [tenant_id, part] of state.by_tenant)
    for (const [tool, versions] of part.lifecycles)
      for (const [version, entry] of versions) {
        const due = dueOf(tenant_id, tool, version, entry, now_ms);
        if (due && !part.told.has(due.notice_id)) notices.push(due);
        if (entry.state === 'deprecated' && entry.sunset_at_ms !== null && entry.sunset_at_ms <= now_ms)
          ended.push({ tenant_id, tool, version, entry });
      }
  return { notices, ended };
}
