import type { EventMap, TopicEvents } from '@countersign/contracts';

/** Events of a saga. A refused request belongs to no state, and the saga may not exist. */
export type SagaEventType = Exclude<TopicEvents['compensation']['event_type'], 'saga_request_refused'>;

/** One transition without its meta: one record on `compensation`. */
export type SagaFact<T extends SagaEventType = SagaEventType> = {
  [E in T]: { event_type: E; body: Omit<EventMap[E], 'meta'> };
}[T];

/** A fact of a running saga, without the two fields that all facts have. */
export type Bare<T extends SagaEventType> = Omit<EventMap[T], 'meta' | 'saga_id' | 'case_id'>;
