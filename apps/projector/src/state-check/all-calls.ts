import { type CallTopic, laneTopic, parseCallId } from '@countersign/contracts';
import { callsAfter, type Store } from '@countersign/store';
import type { CallCheck, RequestedCall } from './call-check.js';
import type { CallRecords } from './call-records.js';
import type { LanePartition } from './lane-partitions.js';
import type { NamedRow } from './wrong-row.js';

const REQUESTS: CallTopic = 'tool-call-requested';
const CALLS_AT_ONCE = 500;
/** Longer calls are read again together at the end; this many states fit in memory. */
const LONG_CALLS_MAX = 2_000;
const LONG_MS = 60_000;
const FIRST_UUID = '00000000-0000-0000-0000-000000000000';

/** A step of a comparison of all rows. */
export interface CheckStep {
  /** Number of finished log records. */
  records: number;
  compared: number;
  wrong: readonly NamedRow[];
}

/** Packs 16 bytes into one character each: each id is kept like this until all rows were checked. */
export const shortId = (uuid: string): string => Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('latin1');

const uuidOf = (call_id: string): string => parseCallId(call_id)?.uuid ?? '';

/** Compares the rows of all calls of a partition, and finds rows without a call on the log. */
export class AllCalls {
  constructor(
    private readonly store: Store,
    private readonly records: CallRecords,
    private readonly check: CallCheck,
  ) {}

  async *steps(place: LanePartition): AsyncGenerator<CheckStep> {
    const seen = new Set<string>();
    for (const lane of place.lanes) yield* this.ofLane(lane, place.partition, seen);
    yield* this.unlogged(place, seen);
  }

  private async *ofLane(lane: string, partition: number, seen: Set<string>): AsyncGenerator<CheckStep> {
    const place = { lanes: [lane], partition };
    const long: string[] = [];
    for await (const requested of this.requestedCalls(laneTopic(REQUESTS, lane), partition)) {
      for (const { call_id } of requested) seen.add(shortId(uuidOf(call_id)));
      const { at_ms: last_ms } = requested.at(-1) as RequestedCall;
      const lasted_ms = last_ms - (requested[0] as RequestedCall).at_ms;
      const different = await this.check.compareNear(requested, place, last_ms + Math.max(LONG_MS, lasted_ms));
      long.push(...(different ?? []));
      const wrong = long.length < LONG_CALLS_MAX ? [] : await this.check.compareWhole(long.splice(0), place);
      yield { records: requested.length, compared: different ? requested.length : 0, wrong };
    }
    if (long.length > 0) yield { records: 0, compared: 0, wrong: await this.check.compareWhole(long, place) };
  }

  /** The calls that are requested on the log, in its order. */
  private async *requestedCalls(topic: string, partition: number): AsyncGenerator<RequestedCall[]> {
    const { log } = this.records;
    const stretch = { topic, partition, from: await log.first(topic, partition), below: await log.head(topic, partition) };
    let requested = new Map<string, RequestedCall>();
    for await (const events of this.records.read({ ...stretch, until_ms: Number.POSITIVE_INFINITY })) {
      for (const { event_type, event, timestamp_ms } of events) {
        const { call_id } = event.meta;
        if (event_type === 'tool_call_requested' && call_id !== null) requested.set(call_id, { call_id, at_ms: timestamp_ms });
      }
      if (requested.size < CALLS_AT_ONCE) continue;
      yield [...requested.values()];
      requested = new Map();
    }
    if (requested.size > 0) yield [...requested.values()];
  }

  private async *unlogged(place: LanePartition, seen: ReadonlySet<string>): AsyncGenerator<CheckStep> {
    for (let after = FIRST_UUID; ; ) {
      const rows = await this.records.pace.run(() => callsAfter(this.store, place.partition, after, CALLS_AT_ONCE));
      const last = rows.at(-1);
      if (!last || this.records.pace.isStopped) return;
      const unseen = rows.filter(({ call_id }) => !seen.has(shortId(uuidOf(call_id)))).map(({ call_id }) => call_id);
      if (unseen.length > 0) yield { records: 0, compared: unseen.length, wrong: await this.check.compareWhole(unseen, place) };
      after = uuidOf(last.call_id);
    }
  }
}
