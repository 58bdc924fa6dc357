import type { AnyEvent, EventMap, EventType, Meta, Tagged, ToolCall, TopicName } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import { by, context, outcome } from './sample-facts.js';

/** The courses of a sample call, from its request to its end. */
export const courses = ['allowed', 'denied', 'granted', 'refused', 'expired', 'cancelled', 'deduplicated', 'doubted', 'rejudged'] as const;
export type Course = (typeof courses)[number];

/** Distinguishes the rows of one history from those of a repeat of it. */
export interface Telling {
  /** 0 to 16,777,215: part of every id. */
  serial: number;
  tenant_id: string;
  /** Offset of the first record of each topic. */
  first_offset: number;
}

/** Writes the events of sample calls in causal order, each at the end of its topic. All in partition 0 of the shared lane. */
export class SampleHistory {
  readonly events: PlacedEvent[] = [];
  private readonly heads = new Map<string, number>();
  protected hlc = 1_000_000;
  protected calls = 0;

  constructor(private readonly telling: Telling = { serial: 0, tenant_id: 'acme', first_offset: 0 }) {}

  openCase(
    case_id: string,
    title: string | null,
    state: 'open' | 'closed' = 'open',
    base: Pick<EventMap['case_set'], 'based_on'> = {},
  ): void {
    const meta = this.meta(null);
    this.put('configuration-changed', 'case_set', { meta, case_id, state, title, by, changed_at_ms: this.hlc, ...base });
  }

  /** @returns the call's id. */
  call(course: Course, case_id: string | null, tenant_id = this.telling.tenant_id): string {
    const call_id = `0-${this.uuid('0000', ++this.calls)}`;
    const call = this.toolCall(case_id);
    this.put('tool-call-requested', 'tool_call_requested', { meta: this.meta(call_id, tenant_id, 0), call });
    if (course === 'denied') this.rule(call_id, tenant_id, call, 1, 'deny');
    else if (course === 'allowed' || course === 'doubted' || course === 'deduplicated' || course === 'rejudged') {
      this.rule(call_id, tenant_id, call, 1, 'allow');
      this.run(course, call_id, tenant_id, call);
    } else {
      this.rule(call_id, tenant_id, call, 1, 'require_approval');
      this.vote(course, call_id, tenant_id, call, 1);
      if (course === 'granted') this.run('allowed', call_id, tenant_id, call);
    }
    return call_id;
  }

  private run(course: Course, call_id: string, tenant_id: string, call: ToolCall): void {
    const meta = () => this.meta(call_id, tenant_id);
    const same = {
      idempotency_key: call.idempotency_key,
      tool: call.tool,
      version: call.version,
      source: { topic: 'policy-decided', offset: 0 },
      also: null,
    };
    if (course === 'deduplicated') {
      const original_call_id = `0-${this.uuid('0000', 1)}`;
      const answered = { original_call_id, because: null, effect_now: null, superseded_by: null, outcome: outcome('succeeded') };
      this.put('tool-executed', 'tool_retry_deduplicated', { meta: meta(), ...same, ...answered });
      return;
    }
    if (course === 'rejudged') {
      const judged = {
        decision_id: 'd1',
        revision: 1,
        config_offset: 0,
        tier: 'tier_2_approval_required',
        rule: 'r',
        reason: 'stricter',
      } as const;
      this.put('tool-executed', 'tool_call_rejudged', { meta: meta(), ...judged, source: same.source, call, because: 'stricter' });
      this.rule(call_id, tenant_id, call, 2, 'require_approval');
      this.vote('granted', call_id, tenant_id, call, 2);
      return;
    }
    const started = {
      epoch: 1,
      decision_id: 'd1',
      revision: 1,
      approval_id: null,
      config_offset: 0,
      fired_at_ms: 1,
      settle_at_ms: 2,
      also: null,
      resources: null,
      process: null,
    };
    this.put('tool-executed', 'tool_call_started', {
      meta: meta(),
      idempotency_key: call.idempotency_key,
      ...started,
      source: same.source,
    });
    if (course === 'doubted') {
      this.put('tool-executed', 'tool_call_in_doubt', { meta: meta(), ...same, epoch: 1, outcome: outcome('in_doubt') });
      const resolved = { by: 'person', principal: by, reason: 'seen', outcome: outcome('succeeded'), source: null, also: null } as const;
      this.put('tool-executed', 'tool_call_resolved', { meta: meta(), idempotency_key: call.idempotency_key, ...resolved });
      return;
    }
    const status = this.calls % 3 === 0 ? 'failed' : 'succeeded';
    this.put('tool-executed', 'tool_executed', {
      meta: meta(),
      ...same,
      epoch: 1,
      decision_id: 'd1',
      revision: 1,
      outcome: outcome(status),
    });
  }

  private rule(call_id: string, tenant_id: string, call: ToolCall, revision: number, effect: EventMap['policy_decided']['effect']): void {
    const ruling = { decision_id: `d${revision}`, revision, effect, tier: 'tier_1_auto', approval_mode_effective: 'local_write' } as const;
    const inputs = {
      rule: 'r',
      bundle_version: 'v',
      config_offset: 0,
      reason: null,
      joined_call_id: null,
      execute_before_ms: 9,
      reservations: [],
      defer: null,
      explanation: null,
    };
    const source = { topic: 'tool-call-requested', offset: 0 };
    const approval_id = effect === 'require_approval' ? `${call_id}/${revision}` : null;
    this.put('policy-decided', 'policy_decided', { meta: this.meta(call_id, tenant_id), ...ruling, ...inputs, approval_id, source, call });
    if (approval_id === null) return;
    const asked = { approval_id, decision_id: `d${revision}`, revision, approver_roles: ['approver'], quorum: 1, ruling_digest: 'x' };
    const times = { requested_at_ms: this.hlc, expires_at_ms: this.hlc + 9 };
    this.put('policy-decided', 'approval_requested', {
      meta: this.meta(call_id, tenant_id),
      ...asked,
      ...times,
      reversibility: 'reversible',
      call,
      requirement: null,
      barred: [],
      evidence: null,
      edit: null,
      level: 0,
      parts: [],
      distinct: false,
      grantable: null,
    });
  }

  private vote(course: Course, call_id: string, tenant_id: string, call: ToolCall, revision: number): void {
    const meta = () => this.meta(call_id, tenant_id);
    const approval_id = `${call_id}/${revision}`;
    const source = { topic: 'approval-voted', offset: 0 };
    const cast = (vote_id: string, vote: 'approve' | 'deny') => this.cast(meta(), approval_id, vote_id, vote);
    this.look(meta(), approval_id);
    if (course === 'granted') {
      cast('v0', 'approve');
      this.put('approval-granted', 'approval_vote_refused', {
        meta: meta(),
        approval_id,
        vote_id: 'v0',
        reason: 'not yours',
        source,
        code: 'not_entitled',
      });
      cast('v1', 'approve');
      this.look(meta(), approval_id);
      const bound = {
        decision_id: 'd1',
        revision,
        ruling_digest: 'x',
        joined_call_id: null,
        execute_before_ms: 9,
        tier: 'tier_2_approval_required',
      } as const;
      const votes = [
        {
          vote_id: 'v1',
          voter_id: 'anna',
          vote: 'approve' as const,
          voted_at_ms: 1,
          on_behalf_of: null,
          to: null,
          grant: null,
          in_parts: [],
          voter_issuer: null,
        },
      ];
      this.put('approval-granted', 'approval_granted', {
        meta: meta(),
        approval_id,
        ...bound,
        votes,
        source,
        call: { ...call, inputs_json: '{"edited":1}' },
        similar: null,
        history_json: null,
        also: null,
        asked: null,
        parts: [],
      });
    } else if (course === 'refused') {
      cast('v1', 'deny');
      this.put('approval-granted', 'approval_denied', { meta: meta(), approval_id, revision, reason: 'too dear', by, source, call });
    } else if (course === 'expired') {
      this.put('approval-granted', 'approval_expired', { meta: meta(), approval_id, revision, expired_at_ms: this.hlc, call });
    } else {
      this.put('approval-granted', 'call_cancelled', {
        meta: meta(),
        revision,
        reason: null,
        by,
        final: true,
        source,
        call,
        only_before_fire: false,
      });
    }
  }

  private cast(meta: Meta, approval_id: string, vote_id: string, vote: 'approve' | 'deny'): void {
    const nothing = { reason: null, inputs_json: null, inputs_digest: null, to: null, edited: null, grant: null, voter_issuer: null };
    const voted = { vote_id, vote, voter: by, voted_at_ms: meta.hlc - 1, ...nothing };
    this.put('approval-voted', 'approval_voted', { meta, approval_id, ...voted });
  }

  private look(meta: Meta, approval_id: string): void {
    this.put('approval-voted', 'approval_viewed', { meta, approval_id, viewer: by, viewed_at_ms: meta.hlc });
  }

  private toolCall(case_id: string | null): ToolCall {
    const rest = { step: null, rule: null, purpose: null, safety_mode: null, run_budget: null, depends_on: null };
    return {
      tool: 'create_order',
      version: '1.0.0',
      effect_class: 'commit_low',
      category: 'c',
      contract_digest: 'd',
      inputs_json: '{"n":1}',
      inputs_digest: 'i',
      idempotency_key: this.uuid('1111', this.calls),
      sealed: null,
      mapped: null,
      compensates: null,
      saga: null,
      key_source: 'derived',
      discriminating_digest: 'x',
      window_ms: 1,
      case_id,
      run_id: null,
      occurrence: null,
      external_id: null,
      metadata_json: null,
      alias: null,
      principal: by,
      context: { ...context, ...rest },
      deadline_ms: null,
      authority: null,
      callback_url: null,
      requested_at_ms: this.hlc,
      lane: 'shared',
    };
  }

  protected meta(call_id: string | null, tenant_id = this.telling.tenant_id, attempt = 1): Meta {
    const hlc = ++this.hlc;
    const event_id = this.uuid('2222', hlc);
    return { event_id, tenant_id, call_id, attempt, causation_id: null, correlation_id: 't', hlc, partition: 0 };
  }

  protected uuid(group: string, n: number): string {
    const serial = this.telling.serial.toString(16).padStart(6, '0');
    return `0192f0c4-${group}-7${serial.slice(0, 3)}-8${serial.slice(3)}-${n.toString(16).padStart(12, '0')}`;
  }

  protected put<T extends EventType>(topic: TopicName, event_type: T, event: EventMap[T]): void {
    const offset = this.heads.get(topic) ?? this.telling.first_offset;
    this.heads.set(topic, offset + 1);
    const tagged = { event_type, event } as Tagged<T> as AnyEvent;
    this.events.push({ ...tagged, topic, partition: 0, offset, timestamp_ms: this.hlc });
  }
}
