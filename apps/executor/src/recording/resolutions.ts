import { type CompensatedEffect, callError, type Meta, type Outcome } from '@countersign/contracts';
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

  /** Ignored unless the call is in doubt. Rejects if the store or the log is unavailable; then it is tried again. */
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
    const end_offset = await this.write({
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
    });
    if (end_offset !== undefined) partition.acknowledge(at.topic, at.offset, end_offset);
  }

  /** The missing result arrived after all. */
  async byLateResult(job: Job, outcome: Outcome): Promise<void> {
    const partition = this.partitions.of(job);
    if (!partition.doubts.has(job.call_id)) return;
    const meta: Meta = { ...job.cause_of_end, attempt: job.attempt };
    const { key, attempt, lane } = job;
    await this.write({
      key,
      attempt,
      meta,
      cause_hash: job.cause_hash,
      lane,
      by: 'late_result',
      principal: null,
      reason: null,
      outcome,
      source: null,
      secondary_key: job.secondary_key,
      compensates: compensated(job) ?? null,
    });
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
    partition.doubts.delete(call_id);
    const ended = { state, end_offset, ended_at_ms: outcome.ended_at_ms };
    partition.ended(call_id, { ...ended, revision: Number.POSITIVE_INFINITY, row_attempt: attempt });
    const end = { call_id, ...ended, resources: 'of_row' as const };
    this.partitions.foldLater({ key, attempt, secondary_key }, end);
    this.partitions.compensateLater(lane, compensationOf(resolution.compensates, outcome), end);
    return end_offset;
  }
}
