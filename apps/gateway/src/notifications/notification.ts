import type { Recorded } from '@countersign/event-log';

/** A message to people. Each channel gets it once; attempts repeat under the same id until the channel accepts it. */
export interface Notification {
  /** The same for every attempt and after every restart: the id of the event. */
  id: string;
  tenant_id: string;
  /** `approval.requested`, … */
  type: string;
  timestamp_ms: number;
  /** One line for people. */
  title: string;
  data: Record<string, unknown>;
  /** The request that a decision link decides; null if there is none. */
  decides: { approval_id: string; expires_at_ms: number } | null;
}

/** Makes a notification of an event, or nothing. `notification-sources.ts` lists every source. */
export type NotificationSource = (at: Recorded) => Notification | undefined;

/** True if a channel with these types receives this one: by its full type, or by a prefix such as `approval.*`. */
export function wants(types: readonly string[], type: string): boolean {
  return types.some((one) => one === type || one === '*' || (one.endsWith('.*') && type.startsWith(one.slice(0, -1))));
}
