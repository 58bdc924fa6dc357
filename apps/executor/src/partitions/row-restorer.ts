import { type CallTopic, type ClaimedKey, type ClaimedResources, laneTopic } from '@countersign/contracts';
import { compensationIn, digest8, lateEnd, type PlacedEvent, stateAfter } from '@countersign/domain';
import { PartitionReplay, type Recorded, type ReplaySource, stretchesToHeads } from '@countersign/event-log';
import type { Logger } from '@countersign/process';
import type { KeySnapshot } from '@countersign/store';
import type { Arbiter, FoldedEnd, RefoldedRow } from '../arbiter/arbiter.js';
import { closedBy } from '../calls/closing.js';

const READ_MAX = 500;
const RULINGS: readonly CallTopic[] = ['policy-decided', 'approval-granted'];

/** The key of edited inputs, if the event has one. */
function secondaryKeyOf({ event }: Recorded): ClaimedKey | null {
  return 'also' in event ? event.also : null;
}

/** Other effects may have run between a doubt and its resolution, and the system may show any of them, so no earlier result is valid. */
function resourcesAfter(at: Recorded, resources: ClaimedResources | null): ClaimedResources | null {
  if (at.event_type !== 'tool_call_resolved' || !resources) return resources;
  return { ...resources, generation: Math.max(resources.generation, at.event.outcome.ended_at_ms) };
}

/** The rows of an effect that the record undid. */
function undoneBy(at: Recorded): FoldedEnd[] {
  const compensation = compensationIn(at as PlacedEvent);
  if (compensation?.outcome !== 'compensated') return [];
  const { call_id, idempotency_key: key, attempt, also } = compensation.effect;
  const end = { call_id, state: 'compensated' as const, end_offset: at.offset, ended_at_ms: at.timestamp_ms, resources: 'none' as const };
  const own = { key, attempt, ...end };
  return also ? [own, { key: also.idempotency_key, attempt: also.attempt, ...end }] : [own];
}

/** The approval that a start record says its claim consumed. */
function useOf(at: Recorded): { approval_id: string; call_id: string }[] {
  if (at.event_type !== 'tool_call_started' || at.event.approval_id === null) return [];
  return [{ approval_id: at.event.approval_id, call_id: at.event.meta.call_id as string }];
}

/**
 * Restores the arbiter's rows if the database is empty and the log is not: first every attempt on tool-executed, then the digests, which
 * only the decisions contain. Runs before any claim; harmless if rows exist.
 */
export class RowRestorer {
  private epoch_max = 0;

  constructor(
    private readonly source: ReplaySource,
    private readonly arbiter: Arbiter,
    private readonly logger: Logger,
    private readonly snapshot: Pick<KeySnapshot, 'restore'> | undefined,
  ) {}

  /** The highest epoch on the log: new epochs must be higher. */
  get epochMax(): number {
    return this.epoch_max;
  }

  async ifEmpty(lane: string): Promise<void> {
    const partitions = this.source.log.partitions(laneTopic('tool-executed', lane));
    const empty: number[] = [];
    for (let partition = 0; partition < partitions; partition++)
      if ((await this.arbiter.progressOf(partition)).length === 0) empty.push(partition);
    if (empty.length > 0) await this.snapshot?.restore();
    for (const partition of empty) await this.restore(lane, partition);
  }

  private async restore(lane: string, partition: number): Promise<void> {
    for (const topic of RULINGS) await this.closings(laneTopic(topic, lane), partition);
    const rows = await this.rows(lane, partition);
    if (rows === 0) return;
    for (const topic of RULINGS) await this.digests(laneTopic(topic, lane), partition);
    this.logger.warn({ event: 'execution_rows_rebuilt', lane, partition, rows }, 'tool_executions was empty; rebuilt it from the log');
  }

  private async rows(lane: string, partition: number): Promise<number> {
    const live = new Map<string, RefoldedRow>();
    let count = 0;
    for await (const events of this.each(laneTopic('tool-executed', lane), partition)) {
      const batch = new Map<string, RefoldedRow>();
      const seconds: RefoldedRow[] = [];
      for (const event of events) {
        const row = this.evolve(live, event, lane, partition);
        if (!row) continue;
        live.set(row.call_id, row);
        batch.set(row.call_id, row);
        const secondary = secondaryKeyOf(event);
        if (secondary) seconds.push({ ...row, key: secondary.idempotency_key, attempt: secondary.attempt });
        if (row.state !== 'running' && row.state !== 'in_doubt') live.delete(row.call_id);
      }
      count += batch.size;
      const used = events.flatMap(useOf);
      if (used.length > 0) await this.arbiter.refoldApprovals(used, []);
      if (batch.size > 0) await this.arbiter.refold([...batch.values(), ...seconds]);
      const undone = events.flatMap(undoneBy);
      if (undone.length > 0) await this.arbiter.fold(undone, [], []);
    }
    return count;
  }

  private evolve(live: ReadonlyMap<string, RefoldedRow>, at: Recorded, lane: string, partition: number): RefoldedRow | undefined {
    const { meta } = at.event;
    const call_id = meta.call_id as string;
    const before = live.get(call_id);
    if (at.event_type === 'tool_call_started') {
      const { idempotency_key: key, epoch, source, resources } = at.event;
      this.epoch_max = Math.max(this.epoch_max, epoch);
      const { attempt, tenant_id } = meta;
      const running = { state: 'running' as const, end_offset: null, ended_at_ms: null };
      return { key, attempt, call_id, tenant_id, lane, partition, epoch, source, resources, ...running };
    }
    if (at.event_type !== 'tool_executed' && at.event_type !== 'tool_call_in_doubt' && at.event_type !== 'tool_call_resolved')
      return undefined;
    const { idempotency_key: key, outcome } = at.event;
    if (!before && (call_id.endsWith(key) || at.event_type === 'tool_call_resolved')) return undefined;
    const epoch = at.event_type === 'tool_call_resolved' ? (before?.epoch ?? 0) : at.event.epoch;
    this.epoch_max = Math.max(this.epoch_max, epoch);
    if (
      before &&
      at.event_type === 'tool_executed' &&
      lateEnd({ state: before.state, started_epoch: before.epoch }, { epoch }).kind === 'nothing'
    )
      return undefined;
    const { attempt, tenant_id } = before ? { attempt: before.attempt, tenant_id: before.tenant_id } : meta;
    const source = before?.source ?? at.event.source ?? { topic: '', offset: 0 };
    const ended = { state: stateAfter(outcome), end_offset: at.offset, ended_at_ms: outcome.ended_at_ms };
    const resources = resourcesAfter(at, before?.resources ?? null);
    return { key, attempt, call_id, tenant_id, lane, partition, epoch, source, resources, ...ended };
  }

  private async closings(topic: string, partition: number): Promise<void> {
    for await (const events of this.each(topic, partition)) {
      const closed = events.flatMap(closedBy);
      if (closed.length > 0) await this.arbiter.refoldApprovals([], closed);
    }
  }

  private async digests(topic: string, partition: number): Promise<void> {
    for await (const events of this.each(topic, partition)) {
      const digests = events.flatMap((at) =>
        at.event_type === 'policy_decided' || at.event_type === 'approval_granted'
          ? [
              {
                key: at.event.call.idempotency_key,
                call_id: at.event.meta.call_id as string,
                digest8: digest8(at.event.call.discriminating_digest),
              },
            ]
          : [],
      );
      if (digests.length > 0) await this.arbiter.refoldDigests(digests);
    }
  }

  private async *each(topic: string, partition: number): AsyncGenerator<readonly Recorded[]> {
    const stretches = await stretchesToHeads(this.source.log, partition, new Map([[topic, 0]]));
    yield* new PartitionReplay(this.source, partition, stretches).batches(READ_MAX);
  }
}
