import { isKeyOfRequest, isReadOnly, type Meta, type ToolCall } from '@countersign/contracts';
import { admit, type CallEvent, cancel, digest8, standingOf } from '@countersign/domain';
import { type EventBatch, type LogRecord, type Recorded, retried, retryPlans } from '@countersign/event-log';
import type { Clock, Logger } from '@countersign/process';
import { cancelledJob, jobOf } from '../calls/authorised.js';
import { type Closing, closedApproval } from '../calls/closing.js';
import type { InFlightCalls, Settled } from '../calls/in-flight-calls.js';
import { Job } from '../calls/job.js';
import type { JobEvent } from '../calls/job-event.js';
import { termsOf } from '../claims/claim-conflicts.js';
import type { KeyWindows } from '../claims/key-windows.js';
import type { Partition } from '../partitions/partition.js';
import type { Partitions } from '../partitions/partitions.js';
import type { PersonalDataDecryptor } from '../personal/personal-data-decryptor.js';
import type { Resolutions } from '../recording/resolutions.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';

type Cancelled = Extract<Recorded, { event_type: 'call_cancelled' }>;

/** Dependencies of admission, besides the open calls. */
export interface IntakeParts {
  clock: Clock;
  decryptor: Pick<PersonalDataDecryptor, 'admit'>;
  windows: KeyWindows;
  runtime: Pick<ToolRuns, 'find'>;
  resolutions: Resolutions;
  logger: Pick<Logger, 'warn' | 'error'>;
}

/** Reads decisions, grants, cancellations and resolutions, and determines their effect on calls of this process. */
export class Intake {
  constructor(
    private readonly partitions: Partitions,
    private readonly open: InFlightCalls,
    private readonly parts: IntakeParts,
  ) {}

  /** The effect of each record on its call. Each is applied before the next record is read. */
  *read(batch: EventBatch): Generator<JobEvent> {
    const partition = this.partitions.get(batch.lane, batch.partition);
    for (const recorded of batch.events) {
      const tracker = partition.inputs.get(recorded.topic);
      if (!tracker?.open(recorded.offset)) continue;
      const jobEvent = this.route(partition, recorded);
      if (jobEvent) yield jobEvent;
    }
  }

  private route(partition: Partition, recorded: Recorded): JobEvent | undefined {
    const job = jobOf(recorded);
    if (job) {
      this.parts.decryptor.admit(job);
      return { job, event: this.admission(job) };
    }
    if (recorded.event_type === 'call_cancelled' && !recorded.event.final) return this.cancelled(partition, recorded);
    this.note(partition, recorded);
    return undefined;
  }

  private note(partition: Partition, recorded: Recorded) {
    switch (recorded.event_type) {
      case 'call_cancelled':
        return this.closed(partition, recorded, recorded.event.call, recorded.event.meta, 'cancelled');
      case 'approval_denied':
        return this.closed(partition, recorded, recorded.event.call, recorded.event.meta, 'cancelled');
      case 'approval_expired':
        return this.closed(partition, recorded, recorded.event.call, recorded.event.meta, 'expired');
      case 'approval_requested':
        if (recorded.event.edit) this.partitions.closeLater(recorded.event.edit.approval_id);
        return partition.acknowledge(recorded.topic, recorded.offset);
      case 'resolution_allowed':
        return this.resolve(partition, recorded);
      default:
        return partition.acknowledge(recorded.topic, recorded.offset);
    }
  }

  private resolve(partition: Partition, recorded: Extract<Recorded, { event_type: 'resolution_allowed' }>): void {
    const { resolutions, logger } = this.parts;
    const fields = { event: 'resolution_not_written', call_id: recorded.event.meta.call_id };
    retried(retryPlans.handler, () => resolutions.byPerson(partition, recorded), {
      // The next owner of the partition reads it again.
      isRetryable: () => partition.assigned,
      unref: true,
      onFault: (cause) => logger.warn({ ...fields, cause: String(cause) }, 'a resolution cannot be written now; trying again'),
    }).catch((cause: unknown) => logger.error({ ...fields, cause: String(cause) }, 'a resolution could not be written'));
  }

  /** No handler could process this record: the call that it authorizes ends without a run, unless it is in progress or has ended. */
  poison(lane: string, { topic, partition: number, offset }: LogRecord, job: Job | undefined): JobEvent | undefined {
    const partition = this.partitions.get(lane, number);
    if (!partition.inputs.get(topic)?.open(offset)) return undefined;
    if (job && this.open.ofCall(job.call_id)) return { job, event: 'record_repeated' };
    if (!job || partition.endOf(job.call_id) || partition.starts.has(job.call_id)) {
      partition.acknowledge(topic, offset);
      return undefined;
    }
    job.refusal = { why: 'record_unreadable', issues: [] };
    return { job, event: 'refused' };
  }

  /** Admits a call, also after the call that it waited for did not answer it. */
  admission(job: Job): CallEvent {
    const { authorised, key, call } = job;
    const partition = this.partitions.of(job);
    const live = job.write ? this.open.leaderFor(job) : undefined;
    const settled = job.write ? this.open.settledOf(key) : undefined;
    const admission = admit(
      {
        call_id: job.call_id,
        key,
        write: job.write,
        joined_call_id: authorised.joined_call_id,
        key_passed: isKeyOfRequest(call.key_source),
        discriminating_digest: call.discriminating_digest,
        execute_before_ms: authorised.execute_before_ms,
        deadline_ms: call.deadline_ms,
      },
      {
        history: false,
        ended: partition.isClosed(job.call_id, authorised.revision),
        open: this.open.ofCall(job.call_id) !== undefined,
        cancelled: partition.cancelled.has(job.call_id),
        live: live ? { call_id: live.call_id, digest8: digest8(live.call.discriminating_digest) } : null,
        settled: settled ?? null,
        window_ms: settled ? this.parts.windows.of(job) : 0,
        now_ms: this.parts.clock.now_ms(),
      },
    );
    switch (admission.kind) {
      case 'ignore':
        return admission.why === 'open' ? 'record_repeated' : 'record_closed';
      case 'fire':
      case 'read':
        return 'admitted';
      case 'look_up':
        return 'rows_needed';
      case 'join':
        job.leader_call_id = admission.call_id;
        return 'local_leader_found';
      case 'answer':
        return this.answer(job, settled, admission.call_id);
      case 'refuse':
        job.refusal = { why: admission.why, issues: [] };
        return 'refused';
    }
  }

  private answer(job: Job, settled: Settled | undefined, original: string): CallEvent {
    if (settled?.call_id !== original || termsOf(this.parts.runtime, job).has_verify) return 'rows_needed';
    const { attempt, outcome } = settled;
    job.verdict = { kind: 'answered', earlier: { call_id: original, attempt, outcome, because: 'same_request', effect_now: null } };
    return 'verdict_reached';
  }

  /** The policy service ended a call that waited for approval: writes a tombstone for the approval, so that no later grant of it runs. */
  private closed(partition: Partition, at: Closing, call: ToolCall | null, meta: Meta, why: 'cancelled' | 'expired') {
    partition.acknowledge(at.topic, at.offset);
    const call_id = meta.call_id as string;
    if (!call || isReadOnly(call.effect_class)) return;
    this.partitions.closeLater(closedApproval(at));
    if (partition.endOf(call_id)) return;
    partition.ended(call_id, {
      state: 'released',
      end_offset: at.offset,
      ended_at_ms: at.timestamp_ms,
      revision: Number.POSITIVE_INFINITY,
    });
    const waiting = this.open.ofCall(call_id);
    if (waiting && cancel(standingOf(waiting.stage)).kind === 'tombstone' && why === 'cancelled') waiting.cancelled = true;
  }

  private cancelled(partition: Partition, at: Cancelled): JobEvent | undefined {
    const call_id = at.event.meta.call_id as string;
    const job = this.open.ofCall(call_id);
    if (!job) return this.cancelUnknown(partition, at, call_id);
    partition.acknowledge(at.topic, at.offset);
    const { kind } = cancel(standingOf(job.stage));
    if (at.event.only_before_fire && (kind === 'abort' || kind === 'ignore')) return undefined;
    job.cancelled = true;
    return { job, event: 'cancelled' };
  }

  /** No authorization was seen yet: a tombstone stops a later one from running. */
  private cancelUnknown(partition: Partition, at: Cancelled, call_id: string): JobEvent | undefined {
    const { call } = at.event;
    if (partition.endOf(call_id) || !call) {
      partition.acknowledge(at.topic, at.offset);
      return undefined;
    }
    partition.cancelled.add(call_id);
    const job = cancelledJob(at, call);
    job.cancelled = true;
    job.refusal = { why: 'cancelled', issues: [] };
    return { job, event: 'refused' };
  }
}
