import { refused } from './refusal.js';

/** The zone of a date is not known: a day counts as past where it is over everywhere on earth. */
const LAST_ZONE_MS = 12 * 3_600_000;

/** @throws ToolError that names the input if an ISO date is over */
export function notPast(path: string, date: unknown): void {
  const today = new Date(Date.now() - LAST_ZONE_MS).toISOString().slice(0, 10);
  if (typeof date === 'string' && date < today) throw refused(path, 'date_in_the_past', `${date} is in the past`);
}
