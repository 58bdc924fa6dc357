import {
  type AnyEvent,
  callError,
  contractDigest,
  type EventMap,
  extrasOf,
  isReadOnly,
  type Meta,
  NO_CONTEXT,
  noRecord,
  type Outcome,
  type Principal,
  sha256Hex,
  type ToolCall,
  type ToolContract,
  type VoteKind,
} from '@countersign/contracts';
import {
  endOfTime,
  evolveRulings,
  expiresAt,
  type GivenPart,
  holderOf,
  initialRulings,
  partsGiven,
  type RulingDraft,
  stampedMeta,
} from '@countersign/domain';
import { type DecisionTerms, decideAgain, decideRecord, type ToRule, wantsRuling } from '../decide-record.js';
import { giveBackUnused, holdersOf } from '../in-flight.js';
import { judgedAgain } from '../judged-again.js';
import { hasEnded } from '../prerequisites.js';
import { questionOf } from '../question-of.js';
import type { ReadEvent } from '../read-event.js';
import { dueDeferrals, questionAgain } from '../waiting.js';
import { LivedDecisionService } from './lived-decision-service.js';
import { LivedSettings, root, TENANT } from './lived-settings.js';

const LAG_MS = 3;
const FLAGGED = extrasOf({ flags: ['instructions'] });
const RUN_MS = 40;

type Word = EventMap['policy_decided'] | EventMap['approval_granted'];

/**
 * For specs: a world in which events happen one after the other, as the services would process them, and that keeps its records. It has its
 * own clock and decides immediately; it is independent of the counterfactual code.
 */
export class LivedWorld extends LivedSettings {
  readonly records: ReadEvent[] = [];
  private readonly state = initialRulings();
  private readonly decisionService = new LivedDecisionService(this, this.state);
  private due: { at_ms: number; act: () => void }[] = [];

  /** Requests a call. @returns its id. */
  request(tool: string, inputs: unknown, more: Partial<ToolCall> = {}): string {
    const known = this.config.tools.get(tool)?.[0]?.contract as ToolContract;
    const call_id = `0-${this.id()}`;
    const inputs_json = JSON.stringify(inputs);
    const digest = sha256Hex(inputs_json);
    const key = isReadOnly(known.effect_class) ? call_id : sha256Hex(`${tool}${inputs_json}${more.case_id ?? ''}`);
    const call: ToolCall = {
      tool,
      version: '1.0.0',
      effect_class: known.effect_class,
      category: 'test',
      contract_digest: contractDigest(known),
      inputs_json,
      inputs_digest: digest,
      idempotency_key: key,
      key_source: 'derived',
      discriminating_digest: digest,
      window_ms: 86_400_000,
      case_id: 'case-1',
      run_id: null,
      occurrence: null,
      principal: { kind: 'agent', id: 'robot', roles: ['agent'] },
      context: { ...NO_CONTEXT },
      deadline_ms: null,
      authority: null,
      sealed: null,
      mapped: null,
      callback_url: null,
      requested_at_ms: this.now_ms,
      lane: 'shared',
      ...more,
    };
    this.input('tool-call-requested', { event_type: 'tool_call_requested', event: { meta: this.meta(call_id), call } } as AnyEvent);
    return call_id;
  }

  vote(approval_id: string, id: string, vote: VoteKind, more: Partial<EventMap['approval_voted']> = {}, roles = ['approver']): void {
    const call_id = approval_id.slice(0, approval_id.lastIndexOf('.'));
    const voter: Principal = { kind: 'user', id, roles };
    const none = { inputs_json: null, inputs_digest: null, to: null, edited: null, grant: null, reason: null, voter_issuer: null };
    const event = {
      meta: this.meta(call_id),
      approval_id,
      vote_id: `vote-${this.id()}`,
      vote,
      voter,
      voted_at_ms: this.now_ms,
      ...none,
      ...more,
    };
    this.input('approval-voted', { event_type: 'approval_voted', event } as AnyEvent);
  }

  cancel(call_id: string): void {
    const event = { meta: this.meta(call_id), principal: root, reason: null, requested_at_ms: this.now_ms };
    this.input('tool-call-requested', { event_type: 'tool_call_cancel_requested', event } as AnyEvent);
  }

  /** Ids of open approvals. */
  open(): string[] {
    return [...this.state.approvals.values()].filter(({ status }) => status === 'open').map(({ approval_id }) => approval_id);
  }

  /** Advances the clock; due events happen. */
  until(at_ms: number): void {
    for (;;) {
      const next = this.due.filter((one) => one.at_ms <= at_ms).sort((a, b) => a.at_ms - b.at_ms)[0];
      if (!next) break;
      this.due = this.due.filter((one) => one !== next);
      this.now_ms = Math.max(this.now_ms, next.at_ms);
      next.act();
    }
    this.now_ms = Math.max(this.now_ms, at_ms);
  }

  private input(topic: string, published: AnyEvent): void {
    this.until(this.now_ms);
    const event = this.append(topic, published);
    this.until(this.now_ms + LAG_MS);
    if (wantsRuling(event)) this.rule(event);
    else this.say(decideRecord(this.state, event, undefined, this.terms));
  }

  private get terms(): DecisionTerms {
    const people = { standing: () => [], person_links: () => [], roles_left: () => (_who: unknown, roles: readonly string[]) => roles };
    return { now_ms: this.now_ms, bundle_version: 'default-1', allow_for_ms: 900_000, grant_for_ms: 3_600_000, ...people };
  }

  private rule(event: ToRule): void {
    const { meta, call } = event.event;
    const { config_offset: _, ...question } = { ...questionOf(this.state, event), tenant_id: TENANT };
    const judged = this.decisionService.judged(question);
    const drafts = decideRecord(this.state, event, judged, this.terms);
    if (judged.reservations && drafts.length > 0)
      giveBackUnused(this.state.limits, { meta, call, revision: question.revision }, judged.reservations, drafts);
    this.say(drafts);
  }

  private say(drafts: readonly RulingDraft[]): void {
    for (const draft of drafts) {
      const meta = stampedMeta(draft, { event_id: this.id(), now_ms: this.now_ms, after_hlc: this.hlc });
      this.hlc = meta.hlc;
      const published = { event_type: draft.event_type, event: { meta, ...draft.body } } as AnyEvent;
      const topic =
        draft.event_type === 'policy_decided' || draft.event_type === 'approval_requested' ? 'policy-decided' : 'approval-granted';
      this.append(topic, published);
      this.follow(published);
    }
  }

  private follow(published: AnyEvent): void {
    const call_id = published.event.meta.call_id as string;
    if (published.event_type === 'policy_decided') {
      const { effect } = published.event;
      this.decisionService.statuses.set(call_id, effect === 'deny' ? 'denied' : effect === 'allow' ? 'running' : 'pending_approval');
      if (effect === 'allow') this.later(LAG_MS, () => this.start(published.event, []));
      if (effect === 'deny') this.ended(call_id, 'denied');
      if (published.event.defer) this.later(published.event.defer.timeout_at_ms - this.now_ms, () => this.resume());
    }
    if (published.event_type === 'approval_requested' || published.event_type === 'approval_escalated') {
      const { approval_id } = published.event;
      const ends = this.state.approvals.get(approval_id)?.parts ?? [];
      for (const { expires_at_ms } of ends) this.later(expires_at_ms - this.now_ms, () => this.expire(approval_id));
    }
    if (published.event_type === 'approval_granted') this.later(LAG_MS, () => this.start(published.event, partsGiven(published.event)));
    if (published.event_type === 'approval_denied') this.ended(call_id, 'denied');
    if (published.event_type === 'approval_expired') this.ended(call_id, 'expired');
    if (published.event_type === 'call_cancelled' && published.event.final) this.ended(call_id, 'cancelled');
  }

  private start(word: Word, given: readonly GivenPart[]): void {
    const { meta, call, revision, decision_id, joined_call_id } = word;
    const history_json = ('explanation' in word ? word.explanation?.history_json : word.history_json) ?? undefined;
    const call_id = meta.call_id as string;
    const config_offset = 'config_offset' in word ? word.config_offset : -1;
    const of = { meta, call, given, config_offset, history_json };
    const again = judgedAgain(this.decisionService.rulings, this.config, of, this.now_ms);
    const source = { topic: 'policy-decided', offset: 0 };
    if (again.kind === 'stricter') {
      const { tier, rule } = again.ruling;
      const { config_offset: seen } = this.config;
      const event = { decision_id, revision, config_offset: seen, tier, rule, reason: rule, source, call, because: 'stricter' };
      const record = this.append('tool-executed', {
        event_type: 'tool_call_rejudged',
        event: { ...event, meta: this.caused(meta) },
      } as AnyEvent);
      this.until(this.now_ms + LAG_MS);
      this.rule(record as ToRule);
      return;
    }
    const isWrite = !isReadOnly(call.effect_class);
    const holder = isWrite
      ? (joined_call_id ?? this.decisionService.keys.holder(TENANT, call, this.config, this.now_ms)?.call_id)
      : undefined;
    if (holder !== undefined && holder !== call_id) {
      this.later(RUN_MS + 2, () => this.end(word, 'tool_retry_deduplicated', holder));
      return;
    }
    if (isWrite) {
      this.decisionService.keys.claim(call_id, call, null);
      const event = { meta: this.caused(meta), idempotency_key: call.idempotency_key, epoch: 1, decision_id, revision, approval_id: null };
      const started = { ...event, config_offset, fired_at_ms: this.now_ms, settle_at_ms: this.now_ms, source, also: null };
      this.append('tool-executed', { event_type: 'tool_call_started', event: started } as AnyEvent);
    }
    this.later(RUN_MS, () => this.end(word, 'tool_executed', call_id));
  }

  private end(
    { meta, call, revision, decision_id }: Word,
    event_type: 'tool_executed' | 'tool_retry_deduplicated',
    original_call_id: string,
  ): void {
    const failed = call.inputs_json.includes('"fails":true');
    const outcome: Outcome = {
      status: failed ? 'failed' : 'succeeded',
      output_json: failed ? null : `{"of":"${original_call_id}"}`,
      error: failed ? callError('PROVIDER_ERROR', 'no') : null,
      effect: failed ? 'none' : 'happened',
      started_at_ms: this.now_ms - RUN_MS,
      ended_at_ms: this.now_ms,
      duration_ms: RUN_MS,
      retry_count: 0,
      truncated: false,
      attachments: [],
      warnings: [],
      extras: call.inputs_json.includes('"steers":true') ? FLAGGED : null,
    };
    const source = { topic: 'policy-decided', offset: 0 };
    const common = {
      meta: this.caused(meta),
      idempotency_key: call.idempotency_key,
      tool: call.tool,
      version: call.version,
      outcome,
      source,
    };
    const more =
      event_type === 'tool_executed'
        ? { epoch: 1, decision_id, revision, also: null }
        : { original_call_id, because: null, effect_now: null, superseded_by: null };
    this.append('tool-executed', { event_type, event: { ...common, ...more } } as AnyEvent);
    this.decisionService.keys.end(meta.call_id as string, outcome, this.now_ms);
    this.ended(meta.call_id as string, outcome.status);
  }

  private ended(call_id: string, status: string): void {
    this.decisionService.statuses.set(call_id, status);
    this.resume();
  }

  private resume(): void {
    const ended = { has: (_: string, call_id: string) => hasEnded(this.decisionService.statuses.get(call_id) ?? 'running') };
    for (const one of dueDeferrals(this.state.limits, this.now_ms, ended)) {
      if (!this.state.limits.deferred.has(one.call_id)) continue;
      const question = { ...questionAgain(one, this.now_ms), ...holdersOf(this.state, one.call_id, one.deferred.call) };
      this.say(decideAgain(this.state, one, this.decisionService.judged(question), { ...this.terms, source: noRecord('policy-decided') }));
    }
  }

  private expire(approval_id: string): void {
    const approval = this.state.approvals.get(approval_id);
    if (approval?.status === 'open' && expiresAt(approval) <= this.now_ms)
      this.say(endOfTime(approval, holderOf(approval).meta, this.now_ms));
  }

  private append(topic: string, published: AnyEvent): ReadEvent {
    const offset = this.records.length;
    const record = { ...published, topic, partition: 0, offset, timestamp_ms: this.now_ms, traceparent: undefined } as ReadEvent;
    this.records.push(record);
    this.decisionService.history.fold(record);
    evolveRulings(this.state, published, undefined);
    return record;
  }

  private later(ms: number, act: () => void): void {
    this.due.push({ at_ms: this.now_ms + ms, act });
  }

  private caused(meta: Meta): Meta {
    return { ...this.meta(meta.call_id), causation_id: meta.event_id };
  }
}
