import { createRequire } from 'node:module';

interface RequestQueue {
  pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/**
 * After each response kafkajs 2.2.4 checks whether a request is queued, and sets a timer for the next check, which is due at once if
 * nothing is throttled and sets itself again. Every connection that ever had a response thus wakes its process a thousand times a second,
 * for ever (measured: 8,000 wake-ups a second and 4 to 5 % of a core in an idle service). Only a queued request needs the timer, and the
 * code that queues it sets it.
 */
export function restWhereNothingWaits(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };
  const { scheduleCheckPendingRequests } = prototype;
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
  };
}
