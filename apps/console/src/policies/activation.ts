import type { Problem } from '../gateway/answer.js';
import type { ActivePolicy } from './policy-queries.js';

/** The activation by which another person was faster. */
export interface Faster {
  version: string | null;
  by: string;
  at: string;
}

/** Whether a change was refused because somebody else was faster: it was made against a state that has gone. */
export const isLostRace = ({ status }: Problem): boolean => status === 412 || status === 409;

/** The latest activation, if it is another one than the person has seen. */
export function fasterThan(seen: ActivePolicy, now: ActivePolicy): Faster | undefined {
  const [latest] = now.history;
  if (!latest || now.etag === seen.etag) return undefined;
  return { version: latest.version, by: latest.by, at: latest.activated_at };
}

/** Whether activating a version goes back to an older one. */
export const isRollback = (target: { published_at: string } | undefined, active: { published_at: string } | undefined): boolean =>
  target !== undefined && active !== undefined && target.published_at < active.published_at;
