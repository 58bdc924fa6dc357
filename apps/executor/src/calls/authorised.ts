import { type EventCodec, type EventMap, isReadOnly, leafHashText, parseCallId, type ToolCall } from '@countersign/contracts';
import { unreadableCall } from '@countersign/decisions';
import { type GivenPart, partsGiven } from '@countersign/domain';
import type { LogRecord, Recorded } from '@countersign/event-log';
import { type Authorised, Job } from './job.js';

type At = Pick<Recorded, 'topic' | 'offset' | 'traceparent' | 'leaf_hash'>;

const NONE: readonly string[] = [];
const NO_PARTS: readonly GivenPart[] = [];

function ofRuling(event: EventMap['policy_decided'], at: At): Authorised {
  const { meta, call, decision_id, revision, approval_id, config_offset, joined_call_id, execute_before_ms } = event;
  const source = { topic: at.topic, offset: at.offset };
  const lane = call.lane;
  return {
    meta,
    leaf_hash: at.leaf_hash,
    call,
    decision_id,
    revision,
    approval_id,
    given: NO_PARTS,
    config_offset,
    waited: event.explanation?.waited ?? NONE,
    history_json: event.explanation?.history_json ?? undefined,
    joined_call_id,
    execute_before_ms,
    lane,
    source,
    traceparent: at.traceparent,
    secondary_key: null,
  };
}

function ofGrant(event: EventMap['approval_granted'], at: At): Authorised {
  const { meta, call, decision_id, revision, approval_id, joined_call_id, execute_before_ms } = event;
  const source = { topic: at.topic, offset: at.offset };
  const lane = call.lane;
  return {
    meta,
    leaf_hash: at.leaf_hash,
    call,
    decision_id,
    revision,
    approval_id,
    given: partsGiven(event),
    config_offset: null,
    joined_call_id,
    execute_before_ms,
    lane,
    source,
    traceparent: at.traceparent,
    secondary_key: joined_call_id === null ? event.also : null,
    history_json: event.history_json ?? undefined,
  };
}

/** The call that a record authorizes; undefined if it authorizes none. */
export function jobOf(recorded: Recorded): Job | undefined {
  let authorised: Authorised;
  if (recorded.event_type === 'policy_decided') {
    if (recorded.event.effect !== 'allow') return undefined;
    authorised = ofRuling(recorded.event, recorded);
  } else if (recorded.event_type === 'approval_granted') authorised = ofGrant(recorded.event, recorded);
  else return undefined;
  return new Job(authorised, !isReadOnly(authorised.call.effect_class));
}

/** Records after which a call runs or ends: if one cannot be read, its call would never get an outcome. */
const DECISIVE: ReadonlySet<string> = new Set(['policy_decided', 'approval_granted', 'approval_denied', 'approval_expired']);

/**
 * The call of a record with a readable meta only; it is to be refused. Undefined if no call waits for the record, or its call cannot be
 * determined.
 */
export function unreadableJob(record: LogRecord, lane: string, codec: EventCodec): Job | undefined {
  const { topic, offset, headers, key, partition } = record;
  const meta = DECISIVE.has(headers.event_type ?? '') ? codec.readMeta(record.value) : undefined;
  if (!meta?.call_id || parseCallId(meta.call_id)?.partition !== partition) return undefined;
  const nothing = { decision_id: '', revision: 0, approval_id: null, given: NO_PARTS, config_offset: null, joined_call_id: null };
  const where = { lane, source: { topic, offset }, traceparent: headers.traceparent, secondary_key: null };
  return new Job(
    { meta, leaf_hash: leafHashText(record), call: unreadableCall(key, lane), ...nothing, execute_before_ms: 0, ...where },
    false,
  );
}

/** A call that was cancelled before this process saw its decision. */
export function cancelledJob(at: Extract<Recorded, { event_type: 'call_cancelled' }>, call: ToolCall): Job {
  const { meta, revision } = at.event;
  const nothing = { decision_id: '', approval_id: null, given: NO_PARTS, config_offset: null, joined_call_id: null };
  const where = { lane: call.lane, source: { topic: at.topic, offset: at.offset }, traceparent: at.traceparent, secondary_key: null };
  return new Job(
    { meta, leaf_hash: at.leaf_hash, call, revision, ...nothing, execute_before_ms: 0, ...where },
    !isReadOnly(call.effect_class),
  );
}
