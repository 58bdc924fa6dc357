import { isReadOnly, type Meta, type ToolCall } from '@countersign/contracts';
import { admit, cancel, digest8, type Refusal } from '@countersign/domain';
import type { EventBatch, LogRecord, Recorded } from '@countersign/event-log';
import type { Clock } from '@countersign/process';
import type { Partition } from '../partitions/partition.js';
import type { Partitions } from '../partitions/partitions.js';
import type { Openings } from '../personal/openings.js';
import { jobOf } from './authorised.js';
import { type Closing, closedApproval } from './closing.js';
import { type Authorised, type Issue, Job } from './job.js';
import type { OpenCalls } from './open-calls.js';

/** Where an admitted record goes. */
export interface IntakeSteps {
  enqueue(job: Job): void;
  lookUp(job: Job): void;
  answer(job: Job, original_call_id: string): void;
  refuse(job: Job, why: Refusal, issues?: Issue[]): void;
  withdraw(job: Job): boolean;
  abort(job: Job): void;
  resolve(partition: Partition, recorded: Extract<Recorded, { event_type: 'resolution_allowed' }>): void;
  windowOf(job: Job): number;
}

/** Reads rulings, grants, cancels and resolutions, and decides what each means for this process. */
export class Intake {
  steps!: IntakeSteps;

  constructor(
    private readonly partitions: Partitions,
    private readonly open: OpenCalls,
    private readonly clock: Clock,
    private readonly openings: Pick<Openings, 'admit'>,
  ) {}

  take(batch: EventBatch) {
    const partition = this.partitions.get(batch.lane, batch.partition);
    const now_ms = this.clock.now_ms();
    for (const recorded of batch.events) {
      const tracker = partition.inputs.get(recorded.topic);
      if (!tracker?.open(recorded.offset)) continue;
      this.route(partition, recorded, now_ms);
    }
  }

  private route(partition: Partition, recorded: Recorded, now_ms: number) {
    const job = jobOf(recorded);
    if (job) {
      this.openings.admit(job);
      return this.admit(partition, job, now_ms);
    }
    switch (recorded.event_type) {
      case 'call_cancelled':
        if (!recorded.event.final) return this.cancelled(partition, recorded);
        return this.closed(partition, recorded, recorded.event.call, recorded.event.meta, 'cancelled');
      case 'approval_denied':
        return this.closed(partition, recorded, recorded.event.call, recorded.event.meta, 'cancelled');
      case 'approval_expired':
        return this.closed(partition, recorded, recorded.event.call, recorded.event.meta, 'expired');
      case 'approval_requested':
        if (recorded.event.edit) this.partitions.closeLater(recorded.event.edit.approval_id);
        return partition.cover(recorded.topic, recorded.offset);
      case 'resolution_allowed':
        return this.steps.resolve(partition, recorded);
      default:
        return partition.cover(recorded.topic, recorded.offset);
    }
  }

  /** The same call from its beginning: its read was destroyed, or its end was not written. */
  fresh(job: Job): Job {
    const again = new Job(job.authorised, job.write);
    again.sources = job.sources;
    again.cancelled = job.cancelled;
    again.opened = job.opened;
    return again;
  }

  /** No handler could take this record: the call that it allows, unless that is under way or over, ends without having fired. */
  poison(lane: string, { topic, partition: number, offset }: LogRecord, job: Job | undefined) {
    const partition = this.partitions.get(lane, number);
    if (!partition.inputs.get(topic)?.open(offset)) return;
    if (job && this.open.ofCall(job.call_id)) return this.again(partition, job);
    if (!job || partition.endOf(job.call_id) || partition.starts.has(job.call_id)) return partition.cover(topic, offset);
    this.open.add(job, false);
    this.steps.refuse(job, 'unreadable');
  }

  /** A job for a call, admitted or admitted once more after the call that it waited for went its own way. */
  admit(partition: Partition, job: Job, now_ms: number) {
    const { authorised, key, call } = job;
    const live = job.write ? this.open.ofKey(key) : undefined;
    const settled = job.write ? this.open.settledOf(key) : undefined;
    const admission = admit(
      {
        call_id: job.call_id,
        key,
        write: job.write,
        joined_call_id: authorised.joined_call_id,
        key_passed: call.key_source === 'header',
        discriminating_digest: call.discriminating_digest,
        execute_before_ms: authorised.execute_before_ms,
        deadline_ms: call.deadline_ms,
      },
      {
        history: false,
        ended: partition.isClosed(job.call_id, authorised.revision),
        open: this.open.ofCall(job.call_id) !== undefined,
        cancelled: partition.cancelled.has(job.call_id),
        live: live && live.call_id !== job.call_id ? { call_id: live.call_id, digest8: digest8(live.call.discriminating_digest) } : null,
        settled: settled ?? null,
        window_ms: settled ? this.steps.windowOf(job) : 0,
        now_ms,
      },
    );
    switch (admission.kind) {
      case 'ignore':
        return admission.why === 'open' ? this.again(partition, job) : this.partitions.cover(job);
      case 'fire':
      case 'read':
        this.open.add(job, job.write);
        return this.steps.enqueue(job);
      case 'look_up':
        this.open.add(job, false);
        return this.steps.lookUp(job);
      case 'join':
        return this.open.join(live as Job, job);
      case 'answer':
        this.open.add(job, false);
        return this.steps.answer(job, admission.call_id);
      case 'refuse':
        this.open.add(job, false);
        return this.steps.refuse(job, admission.why);
    }
  }

  /** The call is here already: this record is covered with it. */
  private again(partition: Partition, job: Job) {
    const known = this.open.ofCall(job.call_id) as Job;
    if (known.stage === 'ending' && job.authorised.revision > known.authorised.revision) {
      known.next = job;
      return;
    }
    const { source } = job.authorised;
    if (known.claimed) partition.cover(source.topic, source.offset);
    else if (known.sources) known.sources.push(source);
    else known.sources = [source];
  }

  /** Policy ended a call that waited for people: its approval gets a tombstone, so that no grant of it fires after this. */
  private closed(partition: Partition, at: Closing, call: ToolCall | null, meta: Meta, why: 'cancelled' | 'expired') {
    partition.cover(at.topic, at.offset);
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
    if (waiting && cancel(standingOf(waiting)).kind === 'tombstone' && why === 'cancelled') waiting.cancelled = true;
  }

  private cancelled(partition: Partition, at: Extract<Recorded, { event_type: 'call_cancelled' }>) {
    const call_id = at.event.meta.call_id as string;
    const job = this.open.ofCall(call_id);
    if (!job) {
      if (partition.endOf(call_id) || !at.event.call) return partition.cover(at.topic, at.offset);
      partition.cancelled.add(call_id);
      return this.cancelUnknown(at, at.event.call);
    }
    partition.cover(at.topic, at.offset);
    const { kind } = cancel(standingOf(job));
    if (at.event.only_before_fire && (kind === 'abort' || kind === 'ignore')) return;
    job.cancelled = true;
    switch (kind) {
      case 'tombstone':
        if (this.steps.withdraw(job)) this.steps.refuse(job, 'cancelled');
        return;
      case 'leave':
        this.leave(job);
        return this.steps.refuse(job, 'cancelled');
      case 'abort':
        return this.steps.abort(job);
      case 'stop_before_fire':
      case 'ignore':
        return;
    }
  }

  /** No ruling was seen that allows it: its tombstone keeps the one to come from firing. */
  private cancelUnknown(at: Extract<Recorded, { event_type: 'call_cancelled' }>, call: ToolCall) {
    const { meta, revision } = at.event;
    const authorised: Authorised = {
      meta,
      call,
      decision_id: '',
      revision,
      approval_id: null,
      given: [],
      config_offset: -1,
      joined_call_id: null,
      execute_before_ms: 0,
      lane: call.lane,
      source: { topic: at.topic, offset: at.offset },
      traceparent: at.traceparent,
      also: null,
    };
    const job = new Job(authorised, !isReadOnly(call.effect_class));
    job.cancelled = true;
    this.open.add(job, false);
    this.steps.refuse(job, 'cancelled');
  }

  private leave(job: Job) {
    for (const leader of [this.open.ofKey(job.key)]) {
      if (leader?.joiners) leader.joiners = leader.joiners.filter((joiner) => joiner !== job);
    }
    for (const [call_id, waiting] of this.partitions.of(job).foreign)
      this.partitions.of(job).foreign.set(
        call_id,
        waiting.filter((each) => each !== job),
      );
  }
}

function standingOf(job: Job): Parameters<typeof cancel>[0] {
  switch (job.stage) {
    case 'waiting':
      return 'waiting';
    case 'joined':
      return 'joined';
    case 'looking_up':
    case 'claiming':
    case 'starting':
      return 'claiming';
    case 'running':
    case 'resending':
      return 'running';
    case 'settling':
      return 'settling';
    case 'finishing':
    case 'ending':
    case 'in_doubt':
    case 'detached':
    case 'gone':
      return 'ended';
  }
}
