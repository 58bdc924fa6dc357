import {
  type CallTopic,
  type ClaimedKey,
  type CompensatedEffect,
  ERASED,
  type EventCodec,
  type EventMap,
  type EventType,
  laneTopic,
  type Meta,
  metaAfter,
  type Outcome,
  type Principal,
  type Tier,
} from '@countersign/contracts';
import type { StricterRuling } from '@countersign/decisions';
import type { NewRecord } from '@countersign/event-log';
import type { Clock } from '@countersign/process';
import type { Job } from '../calls/job.js';
import { compensated } from '../calls/undone-effect.js';
import type { EarlierAnswer } from '../calls/verdict.js';
import type { Redactor } from '../judging/redactor.js';

const TOPIC: CallTopic = 'tool-executed';

/** Who resolved a doubt. */
export interface Resolution {
  meta: Meta;
  /** Hash of the leaf of the record that `meta` is of; undefined if it was not read. */
  cause_hash: string | undefined;
  key: string;
  lane: string;
  by: 'reconcile' | 'person' | 'late_result';
  principal: Principal | null;
  reason: string | null;
  outcome: Outcome;
  source: { topic: string; offset: number } | null;
  secondary_key: ClaimedKey | null;
  /** The effect that the call was to undo. */
  compensates: CompensatedEffect | null;
}

/** Absent for a call that undoes nothing, so that its records stay unchanged. */
function undoing(job: Job): { compensates?: CompensatedEffect } {
  const compensates = compensated(job);
  return compensates ? { compensates } : {};
}

/** Builds the records of the executor for tool-executed. */
export class EventWriter {
  constructor(
    private readonly codec: EventCodec,
    private readonly clock: Clock,
    private readonly redactor: Pick<Redactor, 'outcome'>,
  ) {}

  /** Also stores the start's meta on the job: it is the cause of the end, which `StartRecorder` hashes once it is on the log. */
  started(job: Job, settle_ms: number, config_offset: number): NewRecord {
    const now_ms = this.clock.now_ms();
    const { authorised } = job;
    const meta = metaAfter(authorised.meta, now_ms, job.attempt, authorised.leaf_hash);
    job.started_meta = meta;
    job.started_hash = undefined;
    job.fired_at_ms = now_ms;
    if (job.started_at_ms === 0) job.started_at_ms = now_ms;
    return this.record('tool_call_started', job, {
      meta,
      idempotency_key: job.key,
      epoch: job.epoch,
      decision_id: authorised.decision_id,
      revision: authorised.revision,
      approval_id: authorised.approval_id,
      config_offset,
      fired_at_ms: now_ms,
      settle_at_ms: now_ms + settle_ms,
      source: authorised.source,
      also: job.secondary_key,
      resources: job.resources,
      process: job.place ?? null,
    });
  }

  executed(job: Job, outcome: Outcome): NewRecord {
    const { authorised } = job;
    return this.record('tool_executed', job, {
      meta: this.after(job),
      idempotency_key: job.key,
      tool: job.call.tool,
      version: job.call.version,
      epoch: job.epoch,
      decision_id: authorised.decision_id,
      revision: authorised.revision,
      outcome: this.redactor.outcome(job, outcome),
      source: authorised.source,
      also: job.secondary_key,
      ...undoing(job),
    });
  }

  inDoubt(job: Job, outcome: Outcome): NewRecord {
    const { tool, version } = job.call;
    const { source } = job.authorised;
    return this.record('tool_call_in_doubt', job, {
      meta: this.after(job),
      idempotency_key: job.key,
      tool,
      version,
      epoch: job.epoch,
      outcome: this.redactor.outcome(job, outcome),
      source,
      also: job.secondary_key,
      ...undoing(job),
    });
  }

  deduplicated(job: Job, { call_id: original_call_id, outcome, because, effect_now }: EarlierAnswer): NewRecord {
    const { tool, version } = job.call;
    const { source } = job.authorised;
    return this.record('tool_retry_deduplicated', job, {
      meta: this.after(job),
      idempotency_key: job.key,
      tool,
      version,
      original_call_id,
      outcome: this.redactor.outcome(job, outcome),
      source,
      because,
      effect_now,
      superseded_by: null,
    });
  }

  /** The effect of the earlier call that was to answer no longer exists. */
  staleAnswer(job: Job, tier: Tier, config_offset: number): NewRecord {
    const { decision_id, revision, source, call } = job.authorised;
    const rule = 'key.answer_gone';
    const reason = 'the effect of the earlier call no longer holds: this call is a new effect and needs its own decision';
    const because = 'answer_gone' as const;
    return this.record('tool_call_rejudged', job, {
      meta: this.after(job),
      decision_id,
      revision,
      config_offset,
      tier,
      rule,
      reason,
      source,
      call,
      because,
    });
  }

  rejudged(job: Job, ruling: StricterRuling, config_offset: number): NewRecord {
    const { decision_id, revision, source, call } = job.authorised;
    const { opened } = job;
    const message = ruling.reason?.message ?? 'policy became stricter after the decision';
    return this.record('tool_call_rejudged', job, {
      meta: this.after(job),
      decision_id,
      revision,
      config_offset,
      tier: ruling.tier,
      rule: ruling.rule,
      reason: opened === 'erased' ? ERASED : (opened?.seal.text(message) ?? message),
      source,
      call,
      because: 'stricter',
    });
  }

  resolved(resolution: Resolution): NewRecord {
    const { key, lane, by, principal, reason, outcome, source } = resolution;
    const meta = metaAfter(resolution.meta, this.clock.now_ms(), resolution.meta.attempt, resolution.cause_hash);
    const value = this.codec.encode('tool_call_resolved', {
      meta,
      idempotency_key: key,
      by,
      principal,
      reason,
      outcome,
      source,
      also: resolution.secondary_key,
      ...(resolution.compensates ? { compensates: resolution.compensates } : {}),
    });
    return { topic: laneTopic(TOPIC, lane), partition: meta.partition, key, value, headers: { event_type: 'tool_call_resolved' } };
  }

  private after(job: Job): Meta {
    return metaAfter(job.cause_of_end, this.clock.now_ms(), job.attempt, job.cause_hash);
  }

  private record<T extends EventType>(event_type: T, job: Job, event: EventMap[T]): NewRecord {
    const { lane } = job.authorised;
    const traceparent = job.span?.traceparent ?? job.authorised.traceparent;
    return {
      topic: laneTopic(TOPIC, lane),
      partition: job.partition,
      key: job.key,
      value: this.codec.encode(event_type, event),
      headers: traceparent === undefined ? { event_type } : { event_type, traceparent },
    };
  }
}
