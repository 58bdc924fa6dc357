import { parseTopic, sagaKey, type TopicEvents } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import { storable } from '../projection.js';

/** A record of `compensation`. */
export type SagaEvent = Extract<PlacedEvent, { event_type: TopicEvents['compensation']['event_type'] }>;
export type SagaEventOf<T extends SagaEvent['event_type']> = Extract<SagaEvent, { event_type: T }>;

export const isSagaEvent = (at: PlacedEvent): at is SagaEvent => parseTopic(at.topic).topic === 'compensation';

/** JSON text as a table can store it; null stays null. */
export const storableJson = (value: unknown): string | null => (value === null ? null : storable(JSON.stringify(value)));

/** The tenant and saga of an event, as key columns. */
export const sagaOf = ({ event: { meta, saga_id } }: SagaEvent) => ({
  tenant_id: storable(meta.tenant_id),
  saga_id: storable(saga_id),
});

/** Identifies the saga of an event in maps, as its key columns do. */
export function keyOf(at: SagaEvent): string {
  const { tenant_id, saga_id } = sagaOf(at);
  return sagaKey(tenant_id, saga_id);
}
