import type { Recorded } from '@countersign/event-log';

/** A message to people: of one type, once a channel, repeated under the same id until the channel has accepted it. */
export interface Notification {
  /** Same for every attempt and after every restart: the event's own id. */
  id: string;
  tenant_id: string;
  /** `approval.requested`, … */
  type: string;
  timestamp_ms: number;
  /** One line for people. */
  title: string;
  data: Record<string, unknown>;
  /** The request that a decision link would decide; null where there is nothing to decide. */
  decides: { approval_id: string; expires_at_ms: number } | null;
}

/** Makes a notification of an event, or nothing. Every source is a line in `notification-sources.ts`. */
export type NotificationSource = (at: Recorded) => Notification | undefined;

/** Whether a channel that names these types wants this one: the type itself, or its beginning as `approval.*`. */
export function wants(types: readonly string[], type: string): boolean {
  return types.some((one) => one === type || one === '*' || (one.endsWith('.*') && type.startsWith(one.slice(0, -1))));
}
