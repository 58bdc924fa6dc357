import type { OpenSaga } from '../sagas/open-saga.js';

/** A partition as its records leave it. */
export interface PartitionStart {
  lane: string;
  partition: number;
  /** Open sagas by tenant and id. */
  sagas: Map<string, OpenSaga>;
  /** Ids of the sagas that ended within the records that were read. */
  ended: readonly string[];
  /** The first request without an answer. */
  input_offset: number;
  /** The offset after the newest record of the sagas. */
  output_offset: number;
}

/** Where a replay begins: open sagas, and the positions up to which they are folded. */
export type PartitionSnapshot = Pick<PartitionStart, 'sagas' | 'input_offset' | 'output_offset'>;
