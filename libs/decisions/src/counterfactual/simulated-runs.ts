import { type ClaimedKey, isReadOnly, type Meta, noRecord, type Outcome, type ToolCall, type ToolContract } from '@countersign/contracts';
import { catalogued, type GivenPart, tooLate } from '@countersign/domain';
import { type AgainJudged, judgedAgain } from '../judged-again.js';
import type { TenantRulings } from '../tenant-rulings.js';
import { changesOf, changesRules } from './change.js';
import type { InputEvent, RecordedCall, RunEvent } from './recorded-calls.js';
import { hasRun, identical, resourcesOf, startedAt } from './recorded-run.js';
import { endedAs, replacedBy, shifted } from './simulated-outcome.js';
import type { SimulatedTrust } from './simulated-trust.js';
import type { SimulatedWorld, UnknownBecause } from './simulated-world.js';

/** The ruling or grant that lets a call run in the changed world. */
export interface Authority {
  meta: Meta;
  revision: number;
  decision_id: string;
  call: ToolCall;
  joined_call_id: string | null;
  execute_before_ms: number;
  /** The granted parts; empty: no approval was required. */
  given: readonly GivenPart[];
  granted: boolean;
  /** Null: unknown, as for a grant. */
  config_offset: number | null;
  waited: readonly string[];
  /** The call history that its rules used. */
  history_json?: string | undefined;
  also: ClaimedKey | null;
}

interface Standing {
  authority: Authority;
  /** The record has the same ruling or grant for the same inputs. */
  same: boolean;
  /** How much later than recorded it was decided; 0 if at the same time. */
  shift_ms: number;
}

/** A call that may no longer run when its turn comes. */
export interface RefusedTurn {
  authority: Authority;
  stricter: AgainJudged & { kind: 'stricter' };
}

const SAME_MS = 5;

/** Simulates the executors: a call that ran on record runs the same way; a call that never ran has no result. */
export class SimulatedRuns {
  private readonly standing = new Map<string, Standing>();
  /** Calls that are answered when another one ends: holder → calls. */
  private readonly followers = new Map<string, string[]>();

  constructor(
    private readonly world: SimulatedWorld,
    private readonly rulings: TenantRulings,
    private readonly trust: SimulatedTrust,
  ) {}

  /** Allows a call to run: it starts with the same delay as recorded. */
  allow(authority: Authority): void {
    const { world } = this;
    const call_id = authority.meta.call_id as string;
    const recorded = world.records.get(call_id);
    const word = recorded && (authority.granted ? recorded.granted : recorded.rulings).get(authority.revision);
    const same =
      word !== undefined &&
      word.event.call.inputs_digest === authority.call.inputs_digest &&
      word.event.joined_call_id === authority.joined_call_id &&
      (word.event_type === 'approval_granted' || word.event.effect === 'allow');
    const stated_ms = word && same ? world.records.statedAt(word) : world.now_ms;
    const moved_ms = world.now_ms - stated_ms;
    const shift_ms = Math.abs(moved_ms) <= SAME_MS ? 0 : moved_ms;
    this.standing.set(call_id, { authority, same, shift_ms });
    if (!same || shift_ms !== 0) world.affected.add(call_id);
    const started_ms = same && recorded ? (recorded.rejudged.get(authority.revision)?.timestamp_ms ?? startedAt(recorded)) : undefined;
    const at_ms = started_ms === undefined ? world.now_ms : Math.max(world.now_ms, started_ms + shift_ms);
    if (same && recorded?.runs.length === 0 && shift_ms === 0 && !recorded.rejudged.has(authority.revision)) return;
    world.timeline.add(at_ms, authority.meta.hlc, { kind: 'start', call_id, revision: authority.revision });
  }

  /** Forgets the authority: the call can no longer start by it. */
  forget(call_id: string): void {
    this.standing.delete(call_id);
  }

  /** Starts the call. @returns the authority and the stricter ruling if it may no longer run. */
  start(call_id: string, revision: number): RefusedTurn | undefined {
    const standing = this.standing.get(call_id);
    if (standing?.authority.revision !== revision) return undefined;
    const { authority, same, shift_ms } = standing;
    const { world } = this;
    const asThen = same && shift_ms === 0 && !changesRules(world.changes);
    const recorded = world.records.get(call_id);
    const refused = recorded?.rejudged.get(revision);
    if (asThen && refused) {
      const { at_ms, order } = world.records.handled(refused);
      world.timeline.add(at_ms, order, { kind: 'input', event: refused });
      return undefined;
    }
    const { meta, call: requestedCall } = authority;
    const because = this.trust.whyUnknown(meta.tenant_id, call_id, requestedCall, world.history.asOf(world.now_ms));
    if (because) {
      world.cannotKnow(call_id, because);
      return undefined;
    }
    if (!asThen) {
      const { execute_before_ms, call } = authority;
      if (tooLate({ execute_before_ms, deadline_ms: call.deadline_ms }, world.now_ms)) {
        this.end(authority, endedAs('expired', world.now_ms));
        return undefined;
      }
      const again = judgedAgain(this.rulings, world.history.asOf(world.now_ms), authority, world.now_ms);
      if (again.kind === 'stricter') return { authority, stricter: again };
    }
    this.run(standing, recorded);
    return undefined;
  }

  private run({ authority, same, shift_ms }: Standing, recorded: RecordedCall | undefined): void {
    const { world } = this;
    const { call, also, meta } = authority;
    const call_id = meta.call_id as string;
    const isWrite = !isReadOnly(call.effect_class);
    const holder = isWrite ? this.otherHolder(authority, same && shift_ms === 0 ? recorded : undefined) : undefined;
    if (holder !== undefined) {
      this.answerBy(holder, authority);
      return;
    }
    if (isWrite && authority.joined_call_id === null) world.keys.claim(call_id, call, also, resourcesOf(recorded));
    world.started.set(call_id, world.now_ms);
    const doubt = this.whyUnlike(call, recorded);
    if (doubt) world.cannotKnow(call_id, { what: 'result', ...doubt });
    else if (recorded && this.asOnRecord(recorded, call, same ? shift_ms : world.now_ms - (startedAt(recorded) ?? world.now_ms))) return;
    else {
      const because = this.fromElsewhere(authority);
      if (!because) return;
      world.cannotKnow(call_id, { what: 'result', ...because });
    }
    world.limits.leaveOpen(call_id);
  }

  /** Uses the recorded run, shifted in time. @returns false if the call never ran with these inputs. */
  private asOnRecord(recorded: RecordedCall, { inputs_digest, version }: ToolCall, shift_ms: number): boolean {
    const { world } = this;
    const ran = recorded.state.call;
    if (ran?.inputs_digest !== inputs_digest || ran.version !== version || !hasRun(recorded, shift_ms, world)) return false;
    const { call_id } = recorded;
    world.sources.set(call_id, { kind: shift_ms === 0 ? 'recorded' : 'recorded_at_another_time', call_id });
    for (const event of recorded.runs)
      world.timeline.add(Math.max(world.now_ms, event.timestamp_ms + shift_ms), event.event.meta.hlc, { kind: 'run', event, shift_ms });
    return true;
  }

  /** The other call that answers this one; undefined if it runs by itself or was answered the same way on record. */
  private otherHolder({ call, meta, joined_call_id }: Authority, recorded: RecordedCall | undefined): string | undefined {
    const { world } = this;
    const config = world.history.asOf(world.now_ms);
    const holder = joined_call_id ?? world.keys.holder(meta.tenant_id, call, config, world.now_ms)?.call_id;
    if (holder === undefined || holder === meta.call_id) return undefined;
    return recorded && recorded.runs.length > 0 && !world.isChanged(holder) ? undefined : holder;
  }

  /** Uses a given result, or that of a call with the same inputs. @returns why there is none; undefined if it was used. */
  private fromElsewhere(authority: Authority): Omit<UnknownBecause, 'what'> | undefined {
    const { world } = this;
    const { meta, call } = authority;
    const call_id = meta.call_id as string;
    const given = changesOf(world.changes, 'result').find((change) => change.call_id === call_id);
    if (given) {
      world.sources.set(call_id, { kind: 'replaced', call_id });
      this.end(authority, replacedBy(given, endedAs('succeeded', world.now_ms), this.contractOf(meta.tenant_id, call)));
      return undefined;
    }
    const twin = identical(world, call_id, call);
    if (!twin) return { why: 'the call never ran', call_id: null };
    if ('why' in twin) return twin;
    world.sources.set(call_id, { kind: 'identical_call', call_id: twin.call_id });
    const { outcome } = twin;
    const took_ms = outcome.ended_at_ms - outcome.started_at_ms;
    this.end(authority, { ...outcome, started_at_ms: world.now_ms, ended_at_ms: world.now_ms + took_ms });
    return undefined;
  }

  private contractOf(tenant_id: string, call: ToolCall | null | undefined): ToolContract | undefined {
    const { world } = this;
    return call ? catalogued(world.history.asOf(world.now_ms), tenant_id, call.tool, call.version)?.contract : undefined;
  }

  /** Why the recorded result cannot be used; undefined if it can. */
  private whyUnlike(call: ToolCall, recorded: RecordedCall | undefined): { why: string; call_id: string } | undefined {
    const { world } = this;
    if (changesOf(world.changes, 'result').some((change) => change.call_id === recorded?.call_id)) return undefined;
    const cause = recorded && world.records.causeOf(recorded);
    const others = [...(call.context.depends_on ?? []), ...(cause ? [cause.call_id] : [])];
    const other = others.find((one) => world.unknown.has(one) || world.sources.get(one)?.kind === 'replaced');
    return other === undefined ? undefined : { why: 'it used the result of a call that would have had a different one', call_id: other };
  }

  /** Applies a run record at its (shifted) time. @returns whether the call ended with it. */
  ran(event: RunEvent, shift_ms: number): boolean {
    const { world } = this;
    const call_id = event.event.meta.call_id as string;
    const given = changesOf(world.changes, 'result').find((change) => change.call_id === call_id);
    const published = shifted(event, shift_ms);
    if (published.event_type === 'tool_call_started') {
      world.fold(published);
      return false;
    }
    if (given) {
      const { meta, outcome } = published.event;
      published.event.outcome = replacedBy(given, outcome, this.contractOf(meta.tenant_id, world.calls.get(call_id)?.call));
      world.sources.set(call_id, { kind: 'replaced', call_id });
      world.affected.add(call_id);
    }
    world.fold(published);
    world.keys.end(call_id, published.event.outcome, world.now_ms);
    this.answerFollowers(call_id);
    return true;
  }

  private answerBy(holder: string, authority: Authority): void {
    const { world } = this;
    const call_id = authority.meta.call_id as string;
    const end = world.calls.get(holder)?.end ?? world.calls.get(holder)?.doubt;
    world.affected.add(call_id);
    if (end) this.deduplicate(authority, holder, end.outcome);
    else if (world.isUnknown(holder) || !world.calls.has(holder))
      world.cannotKnow(call_id, { what: 'result', why: 'it is answered by a call whose outcome is unknown', call_id: holder });
    else this.followers.set(holder, [...(this.followers.get(holder) ?? []), call_id]);
  }

  private answerFollowers(holder: string): void {
    const outcome = (this.world.calls.get(holder)?.end ?? this.world.calls.get(holder)?.doubt)?.outcome;
    const waiting = this.followers.get(holder) ?? [];
    this.followers.delete(holder);
    for (const call_id of waiting) {
      const standing = this.standing.get(call_id);
      if (standing && outcome) this.deduplicate(standing.authority, holder, outcome);
    }
  }

  private deduplicate({ meta, call }: Authority, original_call_id: string, outcome: Outcome): void {
    const { world } = this;
    const { idempotency_key, tool, version } = call;
    const source = noRecord('simulated');
    world.sources.set(meta.call_id as string, world.sources.get(original_call_id) ?? { kind: 'recorded', call_id: original_call_id });
    const unchecked = { because: null, effect_now: null, superseded_by: null };
    const event = { meta, idempotency_key, tool, version, original_call_id, outcome, source, ...unchecked };
    world.fold({ event_type: 'tool_retry_deduplicated', event });
  }

  /** Records a synthetic end. */
  end({ meta, call, decision_id, revision, also }: Authority, outcome: Outcome): void {
    const { idempotency_key, tool, version } = call;
    const source = noRecord('simulated');
    const event = { meta, idempotency_key, tool, version, epoch: 0, decision_id, revision, outcome, source, also };
    const place = { ...noRecord('simulated'), partition: 0, timestamp_ms: outcome.ended_at_ms, traceparent: undefined };
    const published: RunEvent = { event_type: 'tool_executed', event, ...place };
    this.world.timeline.add(Math.max(this.world.now_ms, outcome.ended_at_ms), meta.hlc, { kind: 'run', event: published, shift_ms: 0 });
  }

  /** The authority of a call that may run but has not started; undefined if there is none. */
  waiting(call_id: string): Authority | undefined {
    return this.standing.get(call_id)?.authority;
  }
}

/** The record that an executor would write for a call that became forbidden before its turn. */
export function refusedAtTurn({ now_ms, history }: SimulatedWorld, { authority, stricter }: RefusedTurn): InputEvent {
  const { meta, call, decision_id, revision } = authority;
  const { tier, rule, reason } = stricter.ruling;
  const source = noRecord('simulated');
  const { config_offset } = history.asOf(now_ms);
  const event = {
    meta,
    decision_id,
    revision,
    config_offset,
    tier,
    rule,
    reason: reason?.message ?? rule,
    source,
    call,
    because: 'stricter' as const,
  };
  const place = { ...noRecord('tool-executed'), partition: meta.partition, timestamp_ms: now_ms, traceparent: undefined };
  return { event_type: 'tool_call_rejudged', event, ...place };
}
