import type { Migration } from './migration.js';

/** Open sagas of each partition of the orchestrator, and the log positions up to which they are folded. A loss only lengthens its start. */
export const sagaSnapshots: Migration = {
  name: '0049-saga-snapshots',
  text: `CREATE TABLE saga_snapshots (
  lane text NOT NULL,
  partition int4 NOT NULL,
  input_offset int8 NOT NULL,
  output_offset int8 NOT NULL,
  PRIMARY KEY (lane, partition)
);
CREATE TABLE open_sagas (
  lane text NOT NULL,
  partition int4 NOT NULL,
  saga text NOT NULL,
  state text NOT NULL,
  PRIMARY KEY (lane, partition, saga)
)`,
};
