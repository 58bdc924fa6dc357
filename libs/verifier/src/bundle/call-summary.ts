import { evolve, type PlacedEvent } from '@countersign/domain/call/evolve';
import { type CallState, statusOf } from '@countersign/domain/call/state';
import type { BundledCall } from './bundle.js';

type At<T extends PlacedEvent['event_type']> = Extract<PlacedEvent, { event_type: T }>;
const of = <T extends PlacedEvent['event_type']>(events: readonly PlacedEvent[], type: T) =>
  events.filter((at): at is At<T> => at.event_type === type);

/** Folds the events of one call, in the order of their topics, into a summary. */
export function callSummary(call_id: string, events: readonly PlacedEvent[]): BundledCall {
  let state: CallState | undefined;
  for (const at of events) state = evolve(state, at);
  return {
    call_id,
    status: state ? statusOf(state) : 'unknown',
    tool: state?.call?.tool ?? null,
    rulings: of(events, 'policy_decided').map(({ event }) => {
      const { decision_id, revision, effect, rule, bundle_version } = event;
      return { decision_id, revision, effect, rule, bundle_version };
    }),
    viewed: of(events, 'approval_viewed').map(({ event, timestamp_ms }) => ({ by: event.viewer.id, at_ms: timestamp_ms })),
    votes: of(events, 'approval_voted').map(({ event, timestamp_ms }) => ({ by: event.voter.id, vote: event.vote, at_ms: timestamp_ms })),
  };
}
