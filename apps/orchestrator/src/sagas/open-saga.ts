import { type Meta, sagaKey } from '@countersign/contracts';
import type { RunningSaga } from '@countersign/domain';

/** The calls whose outputs the inputs of a step use, and the markings that its call inherits. */
export interface InputSources {
  call_ids: readonly string[];
  markings: readonly string[];
}

/** A saga up to one of its records: its state, and the logical time of the record. */
export interface SagaMoment {
  readonly state: RunningSaga;
  readonly hlc: number;
}

/** A saga that has not ended. Only its partition changes it. */
export interface OpenSaga {
  readonly tenant_id: string;
  readonly saga_id: string;
  /** Trace id of all its records and calls. */
  readonly correlation_id: string;
  state: RunningSaga;
  /** Logical time of its newest record. */
  hlc: number;
  /** Up to its newest record that is on the log: `state` and `hlc` move before the append. Null: its start is not on the log yet. */
  durable: SagaMoment | null;
  /** What the inputs of its due steps were made of, by call. Not recorded: evaluated again after a restart. */
  readonly sources: Map<string, InputSources>;
  /** Calls whose steps this process recorded and that it did not send yet: nobody can have sent them before. */
  readonly unsent: Set<string>;
}

/** Identifies a saga in maps. */
export const keyOfSaga = ({ tenant_id, saga_id }: Pick<OpenSaga, 'tenant_id' | 'saga_id'>): string => sagaKey(tenant_id, saga_id);

/** A saga whose records up to `hlc` are folded. */
export function openedSaga(
  { tenant_id, correlation_id, hlc }: Pick<Meta, 'tenant_id' | 'correlation_id' | 'hlc'>,
  state: RunningSaga,
): OpenSaga {
  const durable = { state, hlc };
  return { tenant_id, saga_id: state.saga_id, correlation_id, state, hlc, durable, sources: new Map(), unsent: new Set() };
}
