import type { EventMap, TopicEvents } from '@countersign/contracts';

export type SagaEventType = TopicEvents['compensation']['event_type'];

/** One transition without its meta: one record on `compensation`. */
export type SagaFact<T extends SagaEventType = SagaEventType> = {
  [E in T]: { event_type: E; body: Omit<EventMap[E], 'meta'> };
}[T];

/** A fact of a running saga, without the two fields that all facts have. */
export type Bare<T extends SagaEventType> = Omit<EventMap[T], 'meta' | 'saga_id' | 'case_id'>;
