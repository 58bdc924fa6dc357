import { itemsOf } from '../forms/comma-list.js';

/** What a person fills in to delegate votes; times are local, as the browser's field gives them. */
export interface DelegationForm {
  to: string;
  tools: string;
  reason: string;
  starts: string;
  ends: string;
}

export const EMPTY_DELEGATION: DelegationForm = { to: '', tools: '', reason: 'out of office', starts: '', ends: '' };
export const DELEGATION_FIELDS = ['/to', '/tools', '/reason', '/starts_at', '/expires_at'];

/** A local time of the browser's field as ISO time; empty: absent. */
const isoOf = (local: string): string | undefined => {
  const at_ms = Date.parse(local);
  return Number.isNaN(at_ms) ? undefined : new Date(at_ms).toISOString();
};

/** The body of `POST /v1/vote-delegations`. */
export function delegationRequest({ to, tools, reason, starts, ends }: DelegationForm) {
  const [starts_at, expires_at] = [isoOf(starts), isoOf(ends)];
  return {
    to: to.trim(),
    tools: itemsOf(tools),
    reason: reason.trim(),
    ...(starts_at !== undefined && { starts_at }),
    ...(expires_at !== undefined && { expires_at }),
  };
}
