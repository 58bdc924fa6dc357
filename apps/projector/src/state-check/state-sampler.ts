import { parseCallId } from '@countersign/contracts';
import type { DamageFinder, DamageReport } from '@countersign/evidence';
import type { TreeSpan } from '@countersign/proofs';
import { callsAfter, type Store } from '@countersign/store';
import type { RequestedCall } from './call-check.js';
import type { ExecutionPlace } from './execution-check.js';
import { type LanePartition, lanesByPartition, partitionsOf, type RandomBelow, randomRecord, topicsAt } from './lane-partitions.js';
import type { StateCheckMetrics } from './state-check-metrics.js';
import { CONFIRM_AFTER_MS, type StateChecks } from './state-checks.js';
import { rowDamage, type WrongRow } from './wrong-row.js';

/** Samples by requests on the log, and by rows: a superfluous row is not on the log. */
const CALLS_BY_LOG = 15;
const CALLS_BY_ROW = 10;
const EXECUTION_RECORDS = 50;
const NEWEST_RECORDS = 200;
/** Calls further apart in time are read separately. */
const TOGETHER_MS = 300_000;
/** One in this many samples begins with the first of all rows, which no other row precedes. */
const FIRST_OF = 8;
const FIRST_UUID = '00000000-0000-0000-0000-000000000000';

/** The source of samples and its randomness. */
export interface SampleSource {
  store: Store;
  signed(): Promise<readonly TreeSpan[]>;
  random: RandomBelow;
}

/** Compares a few rows at random positions of all time with the log, each interval. */
export class StateSampler {
  private isFirst = true;
  /** Rows that differed at the last check. A row that still differs at the next check is damaged, not merely late. */
  private suspects: { place: ExecutionPlace; call_ids: Set<string> }[] = [];

  constructor(
    private readonly source: SampleSource,
    private readonly checks: StateChecks,
    private readonly damage: DamageReport,
    private readonly metrics: StateCheckMetrics,
  ) {}

  /** The first check covers the newest rows, so that a start does not depend on chance. */
  async next(): Promise<void> {
    if (this.isFirst) await this.lookAtNewest();
    this.isFirst = false;
    await this.look();
  }

  /** Compares 25 calls, and the attempts in 50 records. */
  async look(): Promise<void> {
    await this.confirm('sample');
    const spans = await this.source.signed();
    const requests = partitionsOf('tool-call-requested', spans);
    const request = randomRecord(requests, this.source.random);
    if (request) {
      const { lane, partition, offset } = request;
      const requested = await this.callsOnLog({ lanes: [lane], partition }, offset, CALLS_BY_LOG, 'sample');
      const place = lanesByPartition(requests).find((each) => each.partition === partition) as LanePartition;
      await this.callsInRows(place, this.source.random(FIRST_OF) === 0 ? undefined : requested[0]);
    }
    const executed = randomRecord(partitionsOf('tool-executed', spans), this.source.random);
    if (executed) await this.executionsOnLog(executed, executed.offset, EXECUTION_RECORDS);
  }

  /** Compares the newest rows of each partition: most future calls depend on them. */
  async lookAtNewest(): Promise<void> {
    const spans = await this.source.signed();
    for (const { lane, partition, first, size } of partitionsOf('tool-call-requested', spans))
      await this.callsOnLog({ lanes: [lane], partition }, Math.max(first, size - NEWEST_RECORDS), NEWEST_RECORDS, 'start');
    for (const place of partitionsOf('tool-executed', spans))
      await this.executionsOnLog(place, Math.max(place.first, place.size - NEWEST_RECORDS), NEWEST_RECORDS);
    await this.checks.records.pace.rest(CONFIRM_AFTER_MS);
    await this.confirm('start');
  }

  private async callsOnLog(place: LanePartition, offset: number, count: number, found_by: DamageFinder): Promise<RequestedCall[]> {
    const { partition } = place;
    const [topic = ''] = topicsAt('tool-call-requested', place);
    const from = Math.max(offset, await this.checks.records.log.first(topic, partition));
    const requested = new Map<string, RequestedCall>();
    const stretch = { topic, partition, from, below: from + count, until_ms: Number.POSITIVE_INFINITY };
    for await (const events of this.checks.records.read(stretch))
      for (const { event_type, event, timestamp_ms } of events)
        if (event_type === 'tool_call_requested' && event.meta.call_id !== null)
          requested.set(event.meta.call_id, { call_id: event.meta.call_id, at_ms: timestamp_ms });
    await this.compareCalls([...requested.values()], place, found_by);
    return [...requested.values()];
  }

  /** Rows after the row of a call on the log, by id: each row follows some call. */
  private async callsInRows(place: LanePartition, beside: RequestedCall | undefined): Promise<void> {
    const after = (beside && parseCallId(beside.call_id)?.uuid) ?? FIRST_UUID;
    const rows = await callsAfter(this.source.store, place.partition, after, CALLS_BY_ROW);
    const requested = rows.map(({ call_id, requested_at_ms }) => ({ call_id, at_ms: requested_at_ms }));
    const times = requested.map(({ at_ms }) => at_ms);
    if (Math.max(...times) - Math.min(...times) < TOGETHER_MS) await this.compareCalls(requested, place, 'sample');
    else for (const one of requested) await this.compareCalls([one], place, 'sample');
  }

  private async compareCalls(requested: readonly RequestedCall[], place: LanePartition, found_by: DamageFinder) {
    if (requested.length === 0) return;
    const { compared, wrong } = await this.checks.calls.compare(requested, place);
    this.metrics.compared('calls', compared);
    this.report(wrong, found_by);
  }

  private async executionsOnLog({ lane, partition }: ExecutionPlace, offset: number, count: number): Promise<void> {
    const { records, executions, logged } = this.checks;
    const place = { lane, partition };
    const [topic = ''] = topicsAt('tool-executed', { lanes: [lane], partition });
    const from = Math.max(offset, await records.log.first(topic, partition));
    const known = await logged.from(place, from, count);
    const isWrong = await executions.wrongAmong(place, [...known.values()], () => logged.after(place, known, from + count));
    this.metrics.compared('tool_executions', known.size);
    if (isWrong.length > 0) this.suspects.push({ place, call_ids: new Set(isWrong.map(({ call_id }) => call_id)) });
  }

  /** Reads all log records of the rows that differed. */
  private async confirm(found_by: DamageFinder): Promise<void> {
    const { executions, logged } = this.checks;
    for (const { place, call_ids } of this.suspects.splice(0)) {
      const below = await logged.head(place);
      const known = await logged.whole(place, call_ids, below);
      this.report(await executions.wrongAmong(place, [...known.values()], () => logged.after(place, known, below)), found_by);
    }
  }

  private report(wrong: readonly WrongRow[], found_by: DamageFinder): void {
    for (const row of wrong) {
      this.metrics.different(row.table);
      this.damage.found(rowDamage(row, found_by));
    }
  }
}
