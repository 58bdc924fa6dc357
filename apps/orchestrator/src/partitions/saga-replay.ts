import { type EventCodec, laneTopic, sagaKey } from '@countersign/contracts';
import { evolveSaga, type SagaFact, type SagaState } from '@countersign/domain';
import { BatchDecoder, type EventLog, PartitionReplay, type Recorded, type SchemaSource } from '@countersign/event-log';
import type { CompiledSagas } from '../definitions/compiled-sagas.js';
import { type OpenSaga, openedSaga } from '../sagas/open-saga.js';
import type { PartitionSnapshot, PartitionStart } from './partition-start.js';

const EVENTS_AT_ONCE = 1000;
/** A writer repeats at most one append: its records may stand twice, this close to each other. */
const REPEATS_WITHIN = 10_000;

export interface SagaSource {
  log: EventLog;
  codec: EventCodec;
  schemas?: SchemaSource | undefined;
  compiled: Pick<CompiledSagas, 'of'>;
  /** Loads the last snapshot of a partition whose records end at this offset. */
  snapshots: { load(lane: string, partition: number, head: number): Promise<PartitionSnapshot | undefined> };
}

/** A record of a partition of sagas. */
export type SagaRecord = Recorded<SagaFact['event_type'] | 'saga_request_refused'>;

/** The state of a saga after one of its records; undefined if the record changes nothing: it is folded already, or no fact. */
export function stateAfter(saga: Pick<OpenSaga, 'state' | 'hlc'> | undefined, { event_type, event }: SagaRecord): SagaState {
  if (event_type === 'saga_request_refused' || (saga && event.meta.hlc <= saga.hlc)) return undefined;
  return evolveSaga(saga?.state, { event_type, body: event } as unknown as SagaFact);
}

/** Folds the records of one partition: open sagas, ended ones, and up to where requests have an answer. */
export class SagaReplay {
  private readonly seen = new Set<string>();
  private readonly ended: string[] = [];

  constructor(
    private readonly start: PartitionStart,
    private readonly compiled: SagaSource['compiled'],
  ) {}

  /** Restores a partition from its last snapshot and the records after it. */
  static async run(source: SagaSource, lane: string, partition: number): Promise<PartitionStart> {
    const topic = laneTopic('compensation', lane);
    const to = await source.log.head(topic, partition);
    const known = (await source.snapshots.load(lane, partition, to)) ?? { sagas: new Map(), input_offset: 0, output_offset: 0 };
    const start: PartitionStart = { lane, partition, ...known, ended: [], output_offset: to };
    const decoder = new BatchDecoder(source.codec, source.schemas);
    const replay = new PartitionReplay({ log: source.log, decoder }, partition, [{ topic, from: known.output_offset, to }]);
    const folding = new SagaReplay(start, source.compiled);
    for await (const events of replay.batches(EVENTS_AT_ONCE)) for (const event of events) folding.fold(event as SagaRecord);
    return { ...start, ended: folding.ended };
  }

  private fold(record: SagaRecord): void {
    const { meta } = record.event;
    if (this.isRepeat(meta.event_id)) return;
    this.answered(record);
    const key = sagaKey(meta.tenant_id, record.event.saga_id);
    const open = this.start.sagas.get(key);
    const state = stateAfter(open, record);
    if (!state) return;
    if (open) Object.assign(open, { state, hlc: meta.hlc, durable: { state, hlc: meta.hlc } });
    else this.start.sagas.set(key, openedSaga(meta, { ...state, definition: this.compiled.of(meta.tenant_id, state).definition }));
    if (state.ended) this.end(key);
  }

  /** A saga without a start among the records started and ended before them. */
  private end(key: string): void {
    this.start.sagas.delete(key);
    this.ended.push(key);
  }

  private answered({ event }: SagaRecord): void {
    const source = 'source' in event ? event.source : null;
    if (source) this.start.input_offset = Math.max(this.start.input_offset, source.offset + 1);
  }

  private isRepeat(event_id: string): boolean {
    if (this.seen.has(event_id)) return true;
    this.seen.add(event_id);
    if (this.seen.size > REPEATS_WITHIN) this.seen.delete(this.seen.values().next().value as string);
    return false;
  }
}
