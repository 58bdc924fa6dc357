import type { Recorded } from '@countersign/event-log';
import { approvalNotification } from './approval-notifications.js';
import type { Notification, NotificationSource } from './notification.js';
import { sagaNotification } from './saga-notifications.js';

/** All sources of notifications. A new kind needs a source here and its topic in notifications.consumer.ts. */
const sources: readonly NotificationSource[] = [approvalNotification, sagaNotification];

export function notificationOf(at: Recorded): Notification | undefined {
  for (const source of sources) {
    const notification = source(at);
    if (notification) return notification;
  }
  return undefined;
}
