import { type InboxItem, isIrreversible } from './approval.js';

/** As many as `POST /v1/approvals/votes` takes. */
export const SELECTED_MAX = 100;

export type BatchVote = 'approve' | 'deny';

/** Why a request cannot be decided together with others; undefined if it can. */
export function batchObjection(item: Pick<InboxItem, 'status' | 'reversibility' | 'call'>): string | undefined {
  if (item.status !== 'pending') return 'it has ended';
  if (isIrreversible(item)) return 'it cannot be undone: open it and decide it by itself';
  if ((item.call?.withheld?.length ?? 0) > 0) return 'its inputs are withheld from you';
  return undefined;
}

/** The selection after a request was switched on or off. What may not be decided together is never in it. */
export function toggled(selected: ReadonlySet<string>, item: InboxItem): ReadonlySet<string> {
  const next = new Set(selected);
  if (next.delete(item.approval_id)) return next;
  if (batchObjection(item) === undefined && next.size < SELECTED_MAX) next.add(item.approval_id);
  return next;
}

/** The selected requests that are still listed and may still be decided together. */
export const chosen = (items: readonly InboxItem[], selected: ReadonlySet<string>): InboxItem[] =>
  items.filter((item) => selected.has(item.approval_id) && batchObjection(item) === undefined);

/** Whether one of these needs a reason to be denied. */
export const needsReason = (items: readonly Pick<InboxItem, 'terms'>[]): boolean =>
  items.some(({ terms }) => terms?.reason_required_on_deny === true);
