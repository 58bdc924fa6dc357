import { ERASED, type EventMap, type Outcome } from '@countersign/contracts';
import { compensationIn, lateEnd, stateAfter } from '@countersign/domain';
import { PartitionReplay, type Recorded, RecordsDropped, type ReplaySource } from '@countersign/event-log';
import type { InFlightCalls } from '../calls/in-flight-calls.js';
import type { JobEvent } from '../calls/job-event.js';
import type { EarlierAnswer } from '../calls/verdict.js';
import type { Partition, RecentEnd } from './partition.js';
import type { Partitions } from './partitions.js';

const READ_MAX = 500;
/** Number of ends read before the required ones: as many as this process would remember (NewestByKey). */
const RECENT_RECORDS = 2_500;

/** The end of a call whose record was deleted: its key proves that it happened, but its output is unknown. */
const DROPPED: Outcome = {
  status: 'succeeded',
  output_json: JSON.stringify(ERASED),
  error: null,
  effect: 'happened',
  started_at_ms: 0,
  ended_at_ms: 0,
  duration_ms: 0,
  retry_count: 0,
  truncated: false,
  attachments: [],
  warnings: ['retention dropped the record of the result; the call is not run again'],
  extras: null,
};

/** Reads records on tool-executed from other processes, and from an earlier run of this one. */
export class EndsReader {
  constructor(
    private readonly source: ReplaySource,
    private readonly partitions: Partitions,
    private readonly open: InFlightCalls,
  ) {}

  /**
   * Learns which calls without a row ended recently: read-only calls, and calls that an earlier one answered. The policy service forgets
   * ended calls and decides them again if their request is repeated, for example after a kill; only their end on the log shows that they
   * ended.
   */
  async learnRecent(partition: Partition): Promise<void> {
    const { executed: topic, number, next_end: to } = partition;
    const first = await this.source.log.first(topic, number);
    const replay = new PartitionReplay(this.source, number, [{ topic, from: Math.max(first, to - RECENT_RECORDS), to }]);
    for await (const events of replay.batches(READ_MAX))
      for (const event of events) if (endsWithoutRow(event)) partition.ended(event.event.meta.call_id as string, endAt(event));
  }

  /** Reads to the current head and skips known own records. Returns the events for calls that are open here. */
  async catchUp(partition: Partition): Promise<JobEvent[]> {
    const happened: JobEvent[] = [];
    const { executed: topic, number } = partition;
    const to = await this.source.log.head(topic, number);
    const replay = new PartitionReplay(this.source, number, [{ topic, from: partition.next_end, to }]);
    for await (const events of replay.batches(READ_MAX)) {
      for (const event of events) if (partition.isUnread(event.offset)) happened.push(...this.observe(partition, event));
      partition.readTo(replay.position(topic));
    }
    partition.readTo(replay.position(topic));
    return happened;
  }

  /** True while an end that this process sent, perhaps under an earlier lease, is on its way to the log: it may still land. */
  awaitsOwnEnd(call_id: string): boolean {
    return this.open.ofCall(call_id)?.stage === 'writing';
  }

  /** The outcome at an offset. */
  async outcomeAt(partition: Partition, offset: number): Promise<Outcome | undefined> {
    const event = await this.endEventAt(partition, offset);
    if (event === 'dropped') return DROPPED;
    return event && 'outcome' in event.event ? event.event.outcome : undefined;
  }

  /** The record at an offset; `dropped`: retention deleted it. */
  async endEventAt(partition: Partition, offset: number): Promise<Recorded | 'dropped' | undefined> {
    const { log, decoder } = this.source;
    const records = await log.read(partition.executed, partition.number, offset, 1).catch((cause) => {
      if (cause instanceof RecordsDropped) return undefined;
      throw cause;
    });
    if (!records) return 'dropped';
    return (await decoder.decode(records.slice(0, 1))).events[0];
  }

  private observe(partition: Partition, at: Recorded): JobEvent[] {
    const call_id = at.event.meta.call_id as string;
    let happened: JobEvent[] = [];
    switch (at.event_type) {
      case 'tool_call_started': {
        if (partition.endOf(call_id)) return [];
        const { epoch, fired_at_ms, process } = at.event;
        partition.starts.set(call_id, { epoch, offset: at.offset, fired_at_ms, process });
        return [];
      }
      case 'tool_executed': {
        const before = partition.endOf(call_id);
        const state = partition.doubts.has(call_id) ? 'in_doubt' : before ? before.state : 'running';
        const start = partition.starts.get(call_id);
        // A later start, perhaps of this process, does not make it stale.
        const started_epoch = start && start.offset < at.offset ? start.epoch : null;
        const meaning = lateEnd({ state, started_epoch }, at.event);
        if (meaning.kind !== 'nothing') happened = this.ended(partition, at, at.event);
        break;
      }
      case 'tool_call_in_doubt':
        if (partition.endOf(call_id)) break;
        happened = this.ended(partition, at, at.event);
        partition.doubts.set(call_id, {
          key: at.event.idempotency_key,
          attempt: at.event.meta.attempt,
          secondary_key: at.event.also,
          compensates: at.event.compensates ?? null,
        });
        break;
      case 'tool_call_resolved':
        // The first resolution of a doubt counts.
        if (!partition.isOver(call_id, at.event.meta.attempt)) happened = this.ended(partition, at, at.event);
        break;
      case 'tool_retry_deduplicated':
        partition.ended(call_id, endAt(at));
        break;
      case 'tool_call_rejudged':
        partition.ended(call_id, { state: 'released', end_offset: at.offset, ended_at_ms: at.timestamp_ms, revision: at.event.revision });
        break;
      default:
        return [];
    }
    const { source } = at.event;
    if (source) partition.acknowledge(source.topic, source.offset, at.offset);
    return happened;
  }

  private ended(
    partition: Partition,
    at: Recorded,
    { idempotency_key: key, outcome, also: secondary_key }: EventMap['tool_call_resolved' | 'tool_executed' | 'tool_call_in_doubt'],
  ): JobEvent[] {
    const { call_id, attempt } = at.event.meta;
    const id = call_id as string;
    const state = stateAfter(outcome);
    partition.doubts.delete(id);
    const ended = { state, end_offset: at.offset, ended_at_ms: outcome.ended_at_ms };
    partition.ended(id, { ...ended, revision: Number.POSITIVE_INFINITY, row_attempt: attempt });
    const end = { call_id: id, ...ended, resources: 'of_row' as const };
    this.partitions.foldLater({ key, attempt, secondary_key }, end);
    const compensation = compensationIn(at);
    if (compensation) {
      this.partitions.compensateLater(partition.lane, compensation, end);
      this.open.unsettle(compensation.effect.idempotency_key);
    }
    return this.heard(partition, { call_id: id, attempt, outcome, because: 'live_key', effect_now: null });
  }

  /** Calls that wait for that end get its answer; the call itself ends if it is open here. */
  private heard(partition: Partition, earlier: EarlierAnswer): JobEvent[] {
    const verdict = { kind: 'answered' as const, earlier };
    const happened: JobEvent[] = (partition.awaiting_remote_outcome.get(earlier.call_id) ?? []).map((job) => ({
      job,
      event: 'leader_answered',
      verdict,
    }));
    partition.awaiting_remote_outcome.delete(earlier.call_id);
    const job = this.open.ofCall(earlier.call_id);
    if (job) happened.push({ job, event: 'ended_elsewhere', verdict });
    return happened;
  }
}

/** True if the end has no row: the key of a read-only call is its own id. */
function endsWithoutRow(at: Recorded): boolean {
  if (at.event_type === 'tool_retry_deduplicated') return true;
  return at.event_type === 'tool_executed' && at.event.meta.call_id?.endsWith(at.event.idempotency_key) === true;
}

function endAt({ offset, timestamp_ms }: Recorded): RecentEnd {
  return { state: 'released', end_offset: offset, ended_at_ms: timestamp_ms, revision: Number.POSITIVE_INFINITY };
}
