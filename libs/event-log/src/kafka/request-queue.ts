import { createRequire } from 'node:module';

interface RequestQueue {
  pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
}

/**
 * kafkajs 2.2.4 looks after each answer whether a request waits for its turn, and sets a timer to look again: due at once
 * where nothing is throttled, and set anew by its own end. Every connection that ever had an answer so wakes its process a
 * thousand times a second, for ever (measured: 8,000 wake-ups a second and 4 to 5 % of a core in an idle service). Only a
 * waiting request needs the timer, and whoever makes one wait sets it.
 */
export function restWhereNothingWaits(): void {
  const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };
  const { scheduleCheckPendingRequests } = prototype;
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
  };
}
