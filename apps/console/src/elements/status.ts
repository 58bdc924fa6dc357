/** How a status is to be read: its colour, which never stands alone. */
export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'neutral';

/** Every status of calls, cases, approvals, sagas, tickets and steps, in words. */
const STATUSES: Readonly<Record<string, readonly [word: string, tone: Tone]>> = {
  pending_policy: ['Being decided', 'busy'],
  pending_approval: ['Waits for approval', 'warn'],
  awaiting_approval: ['Waits for approval', 'warn'],
  pending: ['Pending', 'warn'],
  running: ['Running', 'busy'],
  succeeded: ['Succeeded', 'good'],
  completed: ['Completed', 'good'],
  granted: ['Approved', 'good'],
  failed: ['Failed', 'bad'],
  denied: ['Denied', 'bad'],
  expired: ['Expired', 'neutral'],
  cancelled: ['Cancelled', 'neutral'],
  superseded: ['Replaced', 'neutral'],
  in_doubt: ['In doubt', 'bad'],
  compensating: ['Being undone', 'busy'],
  compensated: ['Undone', 'neutral'],
  compensation_failed: ['Undo failed', 'bad'],
  aborted: ['Aborted', 'neutral'],
  open: ['Open', 'busy'],
  closed: ['Closed', 'neutral'],
  active: ['Active', 'good'],
  revoked: ['Revoked', 'neutral'],
  ended: ['Ended', 'neutral'],
  live: ['Live', 'good'],
  building: ['Building', 'busy'],
  requested: ['Requested', 'busy'],
  executed: ['Done', 'good'],
  skipped: ['Skipped', 'neutral'],
};

/** The words and the tone of a status; a status that this console does not know is shown as it is. */
export function statusOf(status: string): { word: string; tone: Tone } {
  const known = Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
  return known ? { word: known[0], tone: known[1] } : { word: status.replaceAll('_', ' '), tone: 'neutral' };
}
