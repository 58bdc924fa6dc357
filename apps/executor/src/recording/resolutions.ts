import { type CompensatedEffect, callError, InfrastructureFault, type Meta, type Outcome } from '@countersign/contracts';
import { afterResolution, compensationOf, stateAfter } from '@countersign/domain';
import type { Recorded } from '@countersign/event-log';
import type { Clock } from '@countersign/process';
import type { Arbiter, DoubtfulRows } from '../arbiter/arbiter.js';
import type { Job } from '../calls/job.js';
import { compensated } from '../calls/undone-effect.js';
import type { EndsReader } from '../partitions/ends-reader.js';
import type { Partition } from '../partitions/partition.js';
import type { Partitions } from '../partitions/partitions.js';
import type { Appender } from './appender.js';
import type { EventWriter, Resolution } from './event-writer.js';

type Allowed = Extract<Recorded, { event_type: 'resolution_allowed' }>;

/** Dependencies for resolving doubts. */
export interface ResolutionParts {
  writer: EventWriter;
  appender: Appender;
  arbiter: Arbiter;
  reader: Pick<EndsReader, 'endEventAt'>;
  clock: Clock;
}

/** Resolves doubts: by a person's recorded decision, or by a late result. */
export class Resolutions {
  constructor(
    private readonly parts: ResolutionParts,
    private readonly partitions: Partitions,
    private readonly permitted: () => Promise<boolean>,
  ) {}

  /** Ignored unless the call is in doubt. Rejects if it cannot be written now; the call is in doubt until it is tried again. */
  async byPerson(partition: Partition, at: Allowed): Promise<void> {
    const { meta, resolution, output_json, reason, by } = at.event;
    const call_id = meta.call_id as string;
    const known = partition.doubts.get(call_id);
    partition.doubts.delete(call_id);
    const row = known ?? (partition.endOf(call_id) ? undefined : await this.parts.arbiter.doubtOf(call_id));
    const next = afterResolution(row ? 'in_doubt' : null, resolution);
    if (!row || next === 'ignore') return partition.acknowledge(at.topic, at.offset);
    const now_ms = this.parts.clock.now_ms();
    const happened = next === 'succeeded';
    const outcome: Outcome = {
      status: next,
      output_json: happened ? output_json : null,
      error: happened ? null : callError('NETWORK_ERROR', 'the result was lost; a person established that the call had no effect'),
      effect: happened ? 'happened' : 'none',
      started_at_ms: now_ms,
      ended_at_ms: now_ms,
      duration_ms: 0,
      retry_count: 0,
      truncated: false,
      attachments: [],
      warnings: [],
      extras: null,
    };
    const source = { topic: at.topic, offset: at.offset };
    const end_offset = await this.doubtKept(partition, call_id, row, async () =>
      this.write({
        ...row,
        meta: { ...meta, attempt: row.attempt },
        cause_hash: at.leaf_hash,
        lane: partition.lane,
        by: 'person',
        principal: by,
        reason,
        outcome,
        source,
        compensates: await this.compensatedBy(partition, row),
      }),
    );
    partition.acknowledge(at.topic, at.offset, end_offset);
  }

  /** Resolves a doubt by the late result of its call. @returns false if another resolution is written or on its way: the result is evidence */
  async byLateResult(job: Job, outcome: Outcome): Promise<boolean> {
    const partition = this.partitions.of(job);
    const doubt = partition.doubts.get(job.call_id);
    if (!doubt) return partition.endOf(job.call_id)?.state === 'succeeded';
    partition.doubts.delete(job.call_id);
    await this.doubtKept(partition, job.call_id, doubt, () => this.write(this.ofLateResult(job, outcome)));
    return true;
  }

  private ofLateResult(job: Job, outcome: Outcome): Resolution & { attempt: number } {
    const meta: Meta = { ...job.cause_of_end, attempt: job.attempt };
    const { key, attempt, lane, cause_hash, secondary_key } = job;
    const by = { by: 'late_result', principal: null, reason: null, source: null } as const;
    return { key, attempt, meta, cause_hash, lane, ...by, outcome, secondary_key, compensates: compensated(job) ?? null };
  }

  /** Writes the resolution of a doubt that was taken. Until that is durable the call stays in doubt. @throws if it cannot be written now */
  private async doubtKept(
    partition: Partition,
    call_id: string,
    doubt: DoubtfulRows,
    write: () => Promise<number | undefined>,
  ): Promise<number> {
    try {
      const end_offset = await write();
      if (end_offset !== undefined) return end_offset;
      throw new InfrastructureFault('the lease was lost before the resolution was on the record');
    } catch (cause) {
      if (!partition.isOver(call_id, doubt.attempt)) partition.doubts.set(call_id, doubt);
      throw cause;
    }
  }

  /** The effect that the call was to undo; read from its record if this process has not seen it. */
  private async compensatedBy(partition: Partition, row: DoubtfulRows): Promise<CompensatedEffect | null> {
    if (row.compensates !== undefined || row.end_offset == null) return row.compensates ?? null;
    const at = await this.parts.reader.endEventAt(partition, row.end_offset);
    return at !== 'dropped' && at?.event_type === 'tool_call_in_doubt' ? (at.event.compensates ?? null) : null;
  }

  private async write(resolution: Resolution & { attempt: number }): Promise<number | undefined> {
    const { meta, outcome, key, attempt, secondary_key, lane } = resolution;
    const call_id = meta.call_id as string;
    const offsets = await this.parts.appender.append([this.parts.writer.resolved(resolution)], this.permitted);
    const end_offset = offsets?.[0];
    if (end_offset === undefined) return undefined;
    const partition = this.partitions.get(lane, meta.partition);
    const state = stateAfter(outcome);
    partition.wrote(end_offset);
    // Another executor may have resolved it before: the first resolution counts.
    await partition.known(end_offset);
    if (partition.isOver(call_id, attempt)) return end_offset;
    partition.doubts.delete(call_id);
    const ended = { state, end_offset, ended_at_ms: outcome.ended_at_ms };
    partition.ended(call_id, { ...ended, revision: Number.POSITIVE_INFINITY, row_attempt: attempt });
    const end = { call_id, ...ended, resources: 'of_row' as const };
    this.partitions.foldLater({ key, attempt, secondary_key }, end);
    this.partitions.compensateLater(lane, compensationOf(resolution.compensates, outcome), end);
    return end_offset;
  }
}
