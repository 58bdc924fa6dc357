import type { SagaCommand } from '@countersign/domain';

type Timeless<C> = C extends unknown ? Omit<C, 'now_ms'> : never;

/** A command without the time of its decision. */
export type SagaOrder = Timeless<SagaCommand>;

/** The record that a command comes from. */
export interface WorkCause {
  event_id: string;
  correlation_id: string;
  hlc: number;
  topic: string;
  offset: number;
  /** Hash of the leaf of that record. */
  leaf_hash?: string | undefined;
}

/** A command for one saga, to be decided in the partition of the saga. */
export interface SagaWork {
  tenant_id: string;
  saga_id: string;
  /** A text: the request cannot be a command; it is refused with this message. */
  order: SagaOrder | string;
  /** The request that it comes from; null if the process itself caused it. A request gets an answer on the log in any case. */
  cause: WorkCause | null;
  /** Name of the effect that the command answers; absent: none. */
  effect?: string;
}
