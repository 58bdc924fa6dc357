import type { RulingDraft } from '@countersign/domain';

/** Events after which an approval has due work. */
type Watched = Extract<
  RulingDraft,
  { event_type: 'approval_requested' | 'approval_escalated' | 'approval_vote_counted' | 'approval_granted' }
>;
const WATCHED = new Set<RulingDraft['event_type']>([
  'approval_requested',
  'approval_escalated',
  'approval_vote_counted',
  'approval_granted',
]);
export const isWatched = (draft: RulingDraft): draft is Watched => WATCHED.has(draft.event_type);
