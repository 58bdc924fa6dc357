import { laneTopic, sagaKey } from '@countersign/contracts';
import { BatchDecoder } from '@countersign/event-log';
import { type OpenSaga, openedSaga } from '../sagas/open-saga.js';
import { type SagaRecord, type SagaSource, stateAfter } from './saga-replay.js';

const RECORDS_AT_ONCE = 1_000;

/** Where the records of a saga begin. */
export interface SagaPlace {
  lane: string;
  partition: number;
  first_offset: number;
  tenant_id: string;
  saga_id: string;
}

/**
 * A saga from its records, up to the head of its partition: for one that ended, so that its partition has forgotten it. Only the records of
 * the saga are decoded. @returns undefined if the records are gone
 */
export async function readSagaFromLog({ log, codec, schemas }: SagaSource, place: SagaPlace): Promise<OpenSaga | undefined> {
  const topic = laneTopic('compensation', place.lane);
  const key = sagaKey(place.tenant_id, place.saga_id);
  const decoder = new BatchDecoder(codec, schemas);
  let saga: OpenSaga | undefined;
  for (let from = place.first_offset; ; ) {
    const records = await log.read(topic, place.partition, from, RECORDS_AT_ONCE);
    const last = records.at(-1);
    if (!last) return saga;
    from = last.offset + 1;
    const { events } = await decoder.decode(records.filter((record) => record.key === key));
    for (const event of events) saga = folded(saga, event as SagaRecord);
  }
}

function folded(saga: OpenSaga | undefined, record: SagaRecord): OpenSaga | undefined {
  const state = stateAfter(saga, record);
  if (!state) return saga;
  const { meta } = record.event;
  const { hlc } = meta;
  return saga ? { ...saga, state, hlc, durable: { state, hlc } } : openedSaga(meta, state);
}
