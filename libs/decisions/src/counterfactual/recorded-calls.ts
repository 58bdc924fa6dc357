import { type EventMap, type EventType, type ToolCall, timeOfId } from '@countersign/contracts';
import { type CallState, evolve } from '@countersign/domain';
import type { ReadEvent } from '../read-event.js';
import { after, laterOf, type Moment, settledFrom } from './unanswered.js';

/** The start or the end of a call, as recorded by the executor. */
export type RunEvent = ReadEvent<
  'tool_call_started' | 'tool_executed' | 'tool_retry_deduplicated' | 'tool_call_in_doubt' | 'tool_call_resolved'
>;
/** The inputs of policy. */
export type InputEvent = ReadEvent<
  'tool_call_requested' | 'approval_voted' | 'tool_call_cancel_requested' | 'tool_call_resolve_requested' | 'tool_call_rejudged'
>;

const RUNS: ReadonlySet<EventType> = new Set([
  'tool_call_started',
  'tool_executed',
  'tool_retry_deduplicated',
  'tool_call_in_doubt',
  'tool_call_resolved',
]);
const INPUTS: ReadonlySet<EventType> = new Set(['approval_voted', 'tool_call_cancel_requested', 'tool_call_resolve_requested']);

/** All records of one call. */
export interface RecordedCall {
  call_id: string;
  requested: ReadEvent<'tool_call_requested'>;
  /** All events; those of a topic in offset order. */
  events: ReadEvent[];
  state: CallState;
  /** Revision → ruling. */
  rulings: Map<number, ReadEvent<'policy_decided'>>;
  /** Votes, cancellations and resolutions, in log order. */
  inputs: InputEvent[];
  /** Revision → grant. */
  granted: Map<number, ReadEvent<'approval_granted'>>;
  rejudged: Map<number, ReadEvent<'tool_call_rejudged'>>;
  runs: RunEvent[];
}

const byTime = (a: ReadEvent, b: ReadEvent): number => a.timestamp_ms - b.timestamp_ms || a.event.meta.hlc - b.event.meta.hlc;

function collected(call_id: string, events: ReadEvent[]): RecordedCall | undefined {
  const requested = events.find((event) => event.event_type === 'tool_call_requested');
  if (requested?.event_type !== 'tool_call_requested') return undefined;
  let state: CallState | undefined;
  const call = { call_id, requested, events, rulings: new Map(), inputs: [], granted: new Map(), rejudged: new Map(), runs: [] };
  const known: Omit<RecordedCall, 'state'> = call;
  for (const event of events.sort(byTime)) {
    state = evolve(state, event);
    if (event.event_type === 'policy_decided') putFirst(known.rulings, event.event.revision, event);
    else if (event.event_type === 'approval_granted') putFirst(known.granted, event.event.revision, event);
    else if (event.event_type === 'tool_call_rejudged') putFirst(known.rejudged, event.event.revision, event);
    else if (RUNS.has(event.event_type)) known.runs.push(event as RunEvent);
    else if (INPUTS.has(event.event_type)) known.inputs.push(event as InputEvent);
  }
  return { ...known, state: state as CallState };
}

function pushTo<T>(into: Map<string, T[]>, key: string, one: T): void {
  const known = into.get(key);
  if (known) known.push(one);
  else into.set(key, [one]);
}

function putFirst<T>(into: Map<number, T>, revision: number, event: T): void {
  if (!into.has(revision)) into.set(revision, event);
}

const placeOf = ({ topic, partition }: ReadEvent): string => `${topic}/${partition}`;
/** How many consecutive unanswered inputs are searched backwards. */
const UNANSWERED_MAX = 1000;

/** The calls of some records, and the causes between records. Add all records first (those of a partition in offset order), then read. */
export class RecordedCalls {
  private readonly gathered = new Map<string, ReadEvent[]>();
  private readonly known = new Map<string, RecordedCall>();
  private readonly byInputs = new Map<string, RecordedCall[]>();
  private readonly byScope = new Map<string, RecordedCall[]>();
  /** event_id → the call of the event. */
  private readonly callOfEvent = new Map<string, string>();
  /** event_id of an input → the first event that policy published for it. */
  private readonly answers = new Map<string, ReadEvent>();
  /** event_id of an input → its append time. */
  private readonly appended = new Map<string, number>();
  /** Topic and partition → the inputs of policy, in log order. */
  private readonly inputs = new Map<string, ReadEvent[]>();

  /** Builds it from a small set of records. */
  static of(records: Iterable<ReadEvent>): RecordedCalls {
    const calls = new RecordedCalls();
    for (const record of records) calls.add(record);
    return calls;
  }

  add(record: ReadEvent): void {
    const { call_id, event_id, causation_id } = record.event.meta;
    if (call_id === null) return;
    this.callOfEvent.set(event_id, call_id);
    if (!isStatedByPolicy(record)) this.appended.set(event_id, record.timestamp_ms);
    if (record.event_type === 'tool_call_requested' || INPUTS.has(record.event_type)) pushTo(this.inputs, placeOf(record), record);
    pushTo(this.gathered, call_id, record);
    // An approval request contains its exact time; other events only the time of their id.
    const isFirst = !this.answers.has(causation_id ?? '') || record.event_type === 'approval_requested';
    if (causation_id !== null && isFirst && isStatedByPolicy(record)) this.answers.set(causation_id, record);
  }

  /** Ids of calls with any record. */
  ids(): Iterable<string> {
    return this.gathered.keys();
  }

  /** Undefined if the request of the call is missing from the records. */
  get(call_id: string): RecordedCall | undefined {
    const known = this.known.get(call_id);
    if (known) return known;
    const events = this.gathered.get(call_id);
    const call = events && collected(call_id, events);
    if (!call) return undefined;
    this.known.set(call_id, call);
    if (call.state.call) pushTo(this.byInputs, keyOf(call.state.call), call);
    const { case_id, run_id, principal } = call.requested.event.call;
    pushTo(this.byScope, `case ${case_id}`, call);
    pushTo(this.byScope, `run ${run_id}`, call);
    pushTo(this.byScope, `agent ${principal.id}`, call);
    return call;
  }

  /** The agent of a call, even if its request is missing from the records. */
  agentOf(call_id: string): string | undefined {
    const published = this.gathered.get(call_id)?.find(({ event }) => 'call' in event && event.call !== null);
    return published && 'call' in published.event ? published.event.call?.principal.id : undefined;
  }

  /** Calls of the same case, run or agent, among those that were read with `get`. */
  sharing(scope: 'case' | 'run' | 'agent', { case_id, run_id, principal }: ToolCall): readonly RecordedCall[] {
    return this.byScope.get(`${scope} ${scope === 'case' ? case_id : scope === 'run' ? run_id : principal.id}`) ?? [];
  }

  /** Calls with the same tool, version and inputs, among those that were read with `get`. */
  twins(call: Pick<ToolCall, 'tool' | 'version' | 'inputs_digest'>): readonly RecordedCall[] {
    return this.byInputs.get(keyOf(call)) ?? [];
  }

  /**
   * When policy handled an input, and its order among inputs of that time. An unanswered input was handled after the earlier inputs of its
   * partition; an unanswered cancellation also after the event that made it ineffective.
   */
  handled(input: ReadEvent): Moment {
    const { event_id, hlc, call_id } = input.event.meta;
    const answer = this.answers.get(event_id);
    if (answer) return this.momentOf(answer);
    const appended: Moment = { at_ms: input.timestamp_ms, order: hlc };
    const earliest = laterOf(appended, this.inTurn(input) ?? appended);
    const call = input.event_type === 'tool_call_cancel_requested' && call_id !== null ? this.get(call_id) : undefined;
    return call
      ? laterOf(
          earliest,
          settledFrom(call.events, (event) => this.momentOf(event)),
        )
      : earliest;
  }

  /** True if policy refused this vote because its voter was not live. */
  wasNotLive({ meta }: Pick<EventMap['approval_voted'], 'meta'>): boolean {
    const answer = this.answers.get(meta.event_id);
    return answer?.event_type === 'approval_vote_refused' && answer.event.code === 'not_live';
  }

  private momentOf(event: ReadEvent): Moment {
    return { at_ms: isStatedByPolicy(event) ? this.statedAt(event) : event.timestamp_ms, order: event.event.meta.hlc };
  }

  /** Just after the last answered input before this one in its partition; undefined if there is no recent one. */
  private inTurn(input: ReadEvent): Moment | undefined {
    const before = this.inputs.get(placeOf(input)) ?? [];
    let low = 0;
    for (let high = before.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((before[middle] as ReadEvent).offset < input.offset) low = middle + 1;
      else high = middle;
    }
    for (let at = low - 1; at >= Math.max(0, low - UNANSWERED_MAX); at--) {
      const answer = this.answers.get((before[at] as ReadEvent).event.meta.event_id);
      if (answer) return after(this.momentOf(answer));
    }
    return undefined;
  }

  /** When policy published an event, but not before the append time of its cause, whatever the clock of policy was. */
  statedAt(published: ReadEvent): number {
    return Math.max(statedAt(published), this.appended.get(published.event.meta.causation_id ?? '') ?? 0);
  }

  /** The recorded time of an escalation. */
  escalatedAt(call_id: string, approval_id: string, part: { rule: string; level: number }): number | undefined {
    for (const { event_type, event } of this.gathered.get(call_id) ?? [])
      if (event_type === 'approval_escalated' && event.approval_id === approval_id && isNextOf(part, event)) return event.escalated_at_ms;
    return undefined;
  }

  /** The call whose event caused the request of this one; undefined if unknown. */
  causeOf({ call_id, requested }: RecordedCall): RecordedCall | undefined {
    const { causation_id } = requested.event.meta;
    const cause = causation_id === null ? undefined : this.callOfEvent.get(causation_id);
    return cause === undefined || cause === call_id ? undefined : this.get(cause);
  }
}

/** True if this record escalates the part. Records from before parts existed name no rule. */
const isNextOf = ({ rule, level }: { rule: string; level: number }, to: { rule: string | null; level: number }): boolean =>
  to.level === level + 1 && (to.rule === null || to.rule === rule);

const keyOf = ({ tool, version, inputs_digest }: Pick<ToolCall, 'tool' | 'version' | 'inputs_digest'>): string =>
  `${tool}@${version} ${inputs_digest}`;

const isStatedByPolicy = ({ topic }: ReadEvent): boolean => topic.startsWith('policy-decided') || topic.startsWith('approval-granted');

/** The time by the clock of policy, as exactly as the record contains it. */
function statedAt(published: ReadEvent): number {
  if (published.event_type === 'approval_requested') return published.event.requested_at_ms;
  return timeOfId(published.event.meta.event_id);
}

/** The terms that policy used, derived from its records: the longest periods that no deadline shortened. */
export class ObservedTerms {
  private allow_for_ms = 0;
  private grant_for_ms = 0;
  private readonly voted = new Map<string, number>();

  note(record: ReadEvent): void {
    if (record.event_type === 'approval_voted') this.voted.set(record.event.meta.event_id, record.timestamp_ms);
    if (record.event_type === 'policy_decided') this.allow_for_ms = Math.max(this.allow_for_ms, allowedFor(record.event));
    if (record.event_type !== 'approval_granted' || record.event.call.deadline_ms !== null) return;
    const at_ms = this.voted.get(record.event.meta.causation_id ?? '');
    if (at_ms !== undefined) this.grant_for_ms = Math.max(this.grant_for_ms, record.event.execute_before_ms - at_ms);
  }

  /** The observed terms; for those not observed, the given defaults. */
  or(otherwise: { allow_for_ms: number; grant_for_ms: number }): { allow_for_ms: number; grant_for_ms: number } {
    return { allow_for_ms: this.allow_for_ms || otherwise.allow_for_ms, grant_for_ms: this.grant_for_ms || otherwise.grant_for_ms };
  }
}

function allowedFor({ effect, call, execute_before_ms, meta }: EventMap['policy_decided']): number {
  return effect === 'allow' && call.deadline_ms === null ? execute_before_ms - timeOfId(meta.event_id) : 0;
}
