import { type Meta, sagaKey } from '@countersign/contracts';
import type { RunningSaga } from '@countersign/domain';

/** A saga that has not ended. Only its partition changes it. */
export interface OpenSaga {
  readonly tenant_id: string;
  readonly saga_id: string;
  /** Trace id of all its records and calls. */
  readonly correlation_id: string;
  state: RunningSaga;
  /** Logical time of its newest record. */
  hlc: number;
  /** Calls whose steps this process recorded and that it did not send yet: nobody can have sent them before. */
  readonly unsent: Set<string>;
}

/** Identifies a saga in maps. */
export const keyOfSaga = ({ tenant_id, saga_id }: Pick<OpenSaga, 'tenant_id' | 'saga_id'>): string => sagaKey(tenant_id, saga_id);

/** A saga from its first record. */
export function openedSaga(meta: Meta, state: RunningSaga): OpenSaga {
  return {
    tenant_id: meta.tenant_id,
    saga_id: state.saga_id,
    correlation_id: meta.correlation_id,
    state,
    hlc: meta.hlc,
    unsent: new Set(),
  };
}
