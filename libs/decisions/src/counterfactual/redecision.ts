import { type AnyEvent, type EventMap, noRecord } from '@countersign/contracts';
import { dropApproval, partsGiven, type RulingDraft, type Withdrawal, withdrawWaiting } from '@countersign/domain';
import { decideAgain, decideRecord, editsOf, type ToRule, wantsRuling } from '../decide-record.js';
import { giveBackUnused, holdersOf, keepTaken } from '../in-flight.js';
import { judgeCall } from '../judge-call.js';
import type { Judged } from '../judged.js';
import { hasEnded } from '../prerequisites.js';
import { questionOf } from '../question-of.js';
import type { ReadEvent } from '../read-event.js';
import { TenantRulings } from '../tenant-rulings.js';
import { dueDeferrals, questionAgain } from '../waiting.js';
import { planEnds, statedAtEnd } from './approval-ends.js';
import type { CallCounters } from './call-counters.js';
import type { Change } from './change.js';
import { Deferring } from './deferring.js';
import { ask, planned } from './planning.js';
import { prepared } from './preparing.js';
import type { InputEvent, RecordedCall } from './recorded-calls.js';
import { SimulatedDecisionService } from './simulated-decision-service.js';
import { endedAs } from './simulated-outcome.js';
import { type Authority, refusedAtTurn, SimulatedRuns } from './simulated-runs.js';
import { SimulatedTrust } from './simulated-trust.js';
import { type Item, type Recording, SimulatedWorld } from './simulated-world.js';
import { termsOf } from './terms.js';
import { TrustHistory } from './trust-history.js';
import { verbatim } from './verbatim.js';

/** A ruling or grant that lets a call run. */
type Word = Omit<Authority, 'granted' | 'given' | 'also' | 'waited' | 'history_json'> &
  Pick<EventMap['policy_decided'], 'explanation'> & { history_json?: string | null };

/**
 * Decides recorded calls again, in time order, with some changes. Uses the pure deciders of policy, limits and executors on the records of
 * the log. No tool runs. Works in steps, so that its caller can yield.
 */
export class Redecision {
  readonly world: SimulatedWorld;
  readonly refused_votes: EventMap['approval_vote_refused'][] = [];
  private readonly rulings: TenantRulings;
  private readonly decisionService: SimulatedDecisionService;
  private readonly runs: SimulatedRuns;
  private readonly deferring: Deferring;
  private readonly work: Iterator<void>;
  private standings: number | undefined;

  constructor(recording: Recording, changes: readonly Change[], counters?: CallCounters) {
    this.world = new SimulatedWorld(recording, changes, counters);
    const now_ms = () => this.world.now_ms;
    this.rulings = new TenantRulings(now_ms, new TrustHistory(recording.trust, now_ms));
    const trust = new SimulatedTrust(this.world, this.rulings);
    this.decisionService = new SimulatedDecisionService(this.world, this.rulings, trust);
    this.runs = new SimulatedRuns(this.world, this.rulings, trust);
    this.deferring = new Deferring(this.world);
    this.work = this.steps();
  }

  /** Does a small part of the work. False: nothing is left. */
  step(): boolean {
    return !this.work.next().done;
  }

  private *steps(): Generator<void> {
    const { world } = this;
    yield* planned(world);
    for (let next = world.timeline.next(); next && next.at_ms <= world.recording.until_ms; next = world.timeline.next()) {
      world.now_ms = Math.max(world.now_ms, next.at_ms);
      yield* prepared(world, next.item);
      if (next.item.kind === 'configured') yield* this.configured();
      else this.happen(next.item);
      yield;
    }
  }

  private happen(item: Exclude<Item, { kind: 'configured' }>): void {
    switch (item.kind) {
      case 'request':
        this.request(item.call, item.shift_ms);
        return;
      case 'input':
        this.input(item.event);
        return;
      case 'run':
        if (this.runs.ran(item.event, item.shift_ms)) this.ended(item.event.event.meta.call_id as string);
        return;
      case 'recorded':
        this.recorded(item.event);
        return;
      case 'start':
        this.start(item.call_id, item.revision);
        return;
      case 'expire':
        this.say(statedAtEnd(this.world, item.approval_id));
        return;
      case 'forget':
        this.forgetGrant(item.approval_id);
        return;
      case 'wake':
        this.wake(item.call_id);
        return;
    }
  }

  private request({ requested, call_id }: RecordedCall, shift_ms: number): void {
    this.world.foldCall(requested);
    if (shift_ms !== 0) this.world.affected.add(call_id);
    this.rule({ ...requested, timestamp_ms: requested.timestamp_ms + shift_ms });
  }

  private rule(event: ToRule): void {
    const { rulings } = this.world;
    const { meta, call } = event.event;
    const { config_offset: _, ...question } = questionOf(rulings, event);
    const judged = this.decisionService.judge(question);
    if (!judged) return;
    const drafts = decideRecord(rulings, event, judged, termsOf(this.world));
    if (judged.reservations && drafts.length > 0)
      giveBackUnused(rulings.limits, { meta, call, revision: question.revision }, judged.reservations, drafts);
    this.say(drafts);
  }

  private input(event: InputEvent): void {
    if (wantsRuling(event)) {
      this.runs.forget(event.event.meta.call_id as string);
      this.world.foldCall(event);
      this.rule(event);
      return;
    }
    const { rulings } = this.world;
    const [edit] = editsOf(rulings, [event]);
    if (!edit) {
      this.say(decideRecord(rulings, event, undefined, termsOf(this.world)));
      return;
    }
    const config = this.decisionService.configurationFor(edit.call_id, edit.revision);
    const judged = judgeCall(this.rulings, config, edit);
    const { idempotency_key, discriminating_digest } = edit.edited;
    const own = { ...edit.call, idempotency_key, discriminating_digest };
    const isSame = idempotency_key === edit.call.idempotency_key;
    const answer: Judged = {
      ...judged,
      key_holder: isSame ? undefined : this.world.keys.holder(edit.tenant_id, own, config, this.world.now_ms),
    };
    const stands = decideRecord(rulings, event, answer, termsOf(this.world)).some((draft) => draft.event_type === 'policy_decided');
    if (stands) this.decisionService.askLimits({ ...edit, at_execution: false, key_is_known: false, held_by: undefined }, answer);
    const drafts = decideRecord(rulings, event, answer, termsOf(this.world));
    if (answer.reservations) keepTaken(rulings.limits, edit.call_id, answer.reservations, drafts);
    this.say(drafts);
  }

  private say(drafts: readonly RulingDraft[]): void {
    for (const published of this.world.say(drafts)) this.follow(published);
  }

  /** Schedules the consequences of an event of policy. */
  private follow(published: AnyEvent): void {
    const { timeline } = this.world;
    switch (published.event_type) {
      case 'policy_decided':
        this.noteRuling(published.event);
        if (published.event.effect === 'defer') this.deferring.plan(published.event);
        if (published.event.effect === 'allow') this.allow(published.event, { granted: false, given: [], also: null });
        return;
      case 'approval_requested':
      case 'approval_escalated':
      case 'approval_vote_counted':
        planEnds(this.world, published.event.approval_id);
        return;
      case 'approval_granted':
        this.allow(
          { ...published.event, config_offset: null, explanation: null },
          { granted: true, given: partsGiven(published.event), also: published.event.also },
        );
        timeline.add(published.event.execute_before_ms, 0, { kind: 'forget', approval_id: published.event.approval_id });
        return;
      case 'approval_vote_refused':
        this.refused_votes.push(published.event);
        return;
      case 'approval_denied':
      case 'approval_expired':
        this.world.noteApprovalEnd(published.event.meta.call_id as string);
        return;
      case 'call_cancelled':
        this.world.noteApprovalEnd(published.event.meta.call_id as string);
        if (!published.event.final) this.stop(published.event.meta.call_id as string);
        return;
      default:
    }
  }

  private allow(word: Word, more: Pick<Authority, 'granted' | 'given' | 'also'>): void {
    const { meta, revision, decision_id, call, joined_call_id, execute_before_ms, config_offset, explanation } = word;
    const waited = explanation?.waited ?? [];
    const history_json = explanation?.history_json ?? word.history_json ?? undefined;
    const of = { meta, revision, decision_id, call, joined_call_id };
    this.runs.allow({ ...of, execute_before_ms, config_offset, waited, history_json, ...more });
  }

  private noteRuling({ meta, revision, effect, rule, joined_call_id }: EventMap['policy_decided']): void {
    const call_id = meta.call_id as string;
    const recorded = this.world.records.get(call_id)?.rulings.get(revision)?.event;
    if (recorded?.effect !== effect || recorded.rule !== rule || recorded.joined_call_id !== joined_call_id)
      this.world.affected.add(call_id);
  }

  private start(call_id: string, revision: number): void {
    const refused = this.runs.start(call_id, revision);
    if (!refused) return;
    this.world.affected.add(call_id);
    this.input(refusedAtTurn(this.world, refused));
  }

  /** A cancelled call that has not started never starts; a running one ends as recorded. */
  private stop(call_id: string): void {
    const authority = this.runs.waiting(call_id);
    const state = this.world.calls.get(call_id);
    if (!authority || state?.end || state?.started || !this.world.affected.has(call_id)) return;
    this.runs.forget(call_id);
    this.runs.end(authority, endedAs('cancelled', this.world.now_ms));
  }

  private forgetGrant(approval_id: string): void {
    const { rulings, now_ms } = this.world;
    const approval = rulings.approvals.get(approval_id);
    if (approval?.status === 'granted' && approval.execute_before_ms <= now_ms) dropApproval(rulings, approval);
  }

  private wake(call_id: string): void {
    const { world } = this;
    const ended = { has: (_tenant: string, other: string) => hasEnded(world.status(other) ?? 'succeeded') };
    const waiting = world.rulings.limits.deferred.get(call_id);
    if (!waiting) return;
    const [due] = dueDeferrals({ ...world.rulings.limits, deferred: new Map([[call_id, waiting]]) }, world.now_ms, ended);
    if (!due || this.deferring.isStuck(due)) return;
    const again = questionAgain(due, world.now_ms);
    const judged = this.decisionService.judge({ ...again, ...holdersOf(world.rulings, call_id, due.deferred.call) });
    if (!judged) return;
    const terms = { ...termsOf(this.world), source: noRecord('policy-decided') };
    const drafts = decideAgain(world.rulings, due, judged, terms);
    if (drafts.length === 0) this.deferring.waitOn(due);
    this.say(drafts);
  }

  /** Denies waiting calls whose version may no longer run; judges one call per step. */
  private *configured(): Generator<void> {
    const { rulings, history, now_ms } = this.world;
    if (rulings.approvals.size === 0 && rulings.limits.deferred.size === 0) return;
    const { revocation_epoch } = history.asOf(now_ms);
    if (revocation_epoch === this.standings) return;
    this.standings = revocation_epoch;
    const withdrawn = new Map<string, Withdrawal>();
    const open = [...rulings.approvals.values()].filter(({ status }) => status === 'open').flatMap(({ members }) => members);
    for (const waiting of [...open, ...rulings.limits.deferred.values()]) {
      const by = this.decisionService.withdrawalOf(waiting);
      if (by) withdrawn.set(waiting.meta.call_id as string, by);
      yield;
    }
    this.say(withdrawWaiting(rulings, ({ meta }) => withdrawn.get(meta.call_id as string), termsOf(this.world)));
  }

  private recorded(event: ReadEvent): void {
    verbatim(this.world, event);
    if (event.event_type === 'tool_executed' || event.event_type === 'tool_call_resolved') this.ended(event.event.meta.call_id as string);
  }

  /** Wakes the calls that wait for the end of a call, and requests the calls that it caused. */
  private ended(call_id: string): void {
    this.deferring.ended(call_id);
    const recorded = this.world.records.get(call_id);
    const requests = this.world.caused.get(call_id) ?? [];
    this.world.caused.delete(call_id);
    const shift_ms = this.world.now_ms - (recorded?.state.end?.at_ms ?? this.world.now_ms);
    for (const call of requests) ask(this.world, call, Math.abs(shift_ms) <= 5 ? 0 : shift_ms);
  }

  /** Marks calls whose cause did not happen as unknown. @returns the final world. */
  finish(): SimulatedWorld {
    for (const [cause, calls] of this.world.caused)
      for (const { call_id } of calls)
        this.world.cannotKnow(call_id, {
          what: 'ruling',
          why: 'it was requested because of a call that would have ended differently',
          call_id: cause,
        });
    return this.world;
  }
}
