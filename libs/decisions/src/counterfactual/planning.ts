import { type ApprovalVoted, noRecord } from '@countersign/contracts';
import { changesOf } from './change.js';
import type { RecordedCall } from './recorded-calls.js';
import type { SimulatedWorld } from './simulated-world.js';

/** Schedules all external inputs, one call per step, except calls that were requested because another call had ended. */
export function* planned(world: SimulatedWorld): Generator<void> {
  const { records, recording } = world;
  for (const call_id of records.ids()) {
    const call = records.get(call_id);
    if (!call) continue;
    if (recording.as_recorded.has(call.call_id) || recording.erased.has(call.call_id)) {
      for (const event of call.events) world.timeline.add(event.timestamp_ms, event.event.meta.hlc, { kind: 'recorded', event });
    } else if (world.changes.some((change) => change.kind === 'left_out' && change.call_id === call.call_id)) {
      world.affected.add(call.call_id);
    } else plan(world, call);
    yield;
  }
  planVotes(world);
  for (const { timestamp_ms } of recording.configuration) {
    world.timeline.add(timestamp_ms, 0, { kind: 'configured' });
    yield;
  }
}

function plan(world: SimulatedWorld, call: RecordedCall): void {
  const { records, recording, caused } = world;
  const cause = records.causeOf(call);
  const end = cause?.state.end;
  if (cause && end && end.at_ms <= call.requested.timestamp_ms && !recording.as_recorded.has(cause.call_id))
    caused.set(cause.call_id, [...(caused.get(cause.call_id) ?? []), call]);
  else ask(world, call, 0);
  const replaced = new Set(changesOf(world.changes, 'vote').map(({ vote_id }) => vote_id));
  for (const event of call.inputs) {
    if (event.event_type === 'approval_voted' && replaced.has(event.event.vote_id)) continue;
    const { at_ms, order } = records.handled(event);
    world.timeline.add(at_ms, order, { kind: 'input', event });
  }
}

/** Schedules the request of a call this much later than recorded. */
export function ask(world: SimulatedWorld, call: RecordedCall, shift_ms: number): void {
  const { at_ms, order } = world.records.handled(call.requested);
  world.timeline.add(at_ms + shift_ms, order, { kind: 'request', call, shift_ms });
}

function planVotes(world: SimulatedWorld): void {
  for (const { approval_id, voter, vote, reason, at_ms, vote_id } of changesOf(world.changes, 'vote')) {
    const of = world.records.get(callOfApproval(approval_id))?.requested.event.meta;
    if (!of) continue;
    const plain = { inputs_json: null, inputs_digest: null, to: null, edited: null, grant: null, voter_issuer: null };
    const named = { approval_id, vote_id: vote_id ?? `counterfactual-${voter.id}`, vote, reason, voter, voted_at_ms: at_ms };
    const event: ApprovalVoted = { meta: of, ...named, ...plain };
    const place = { ...noRecord('approval-voted'), partition: of.partition, timestamp_ms: at_ms, traceparent: undefined };
    world.timeline.add(at_ms, Number.MAX_SAFE_INTEGER, { kind: 'input', event: { event_type: 'approval_voted', event, ...place } });
  }
}

/** The id of the call that an approval belongs to. */
export function callOfApproval(approval_id: string): string {
  return approval_id.slice(0, approval_id.lastIndexOf('.'));
}
