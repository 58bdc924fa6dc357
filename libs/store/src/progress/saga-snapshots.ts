import type { Statement, Store } from '../store.js';

/** An open saga as text in the orchestrator's own format. `saga`: tenant and id. */
export interface OpenSagaRow extends Record<string, unknown> {
  saga: string;
  state: string;
}

/** A partition of sagas and the positions up to which its rows are folded. */
export interface SagaSnapshot {
  input_offset: number;
  output_offset: number;
  open: OpenSagaRow[];
}

/** What changed in a partition since its last snapshot. `ended`: tenants and ids. */
export interface SagaSnapshotChanges extends SagaSnapshot {
  lane: string;
  partition: number;
  ended: readonly string[];
}

const POSITION = `INSERT INTO saga_snapshots (lane, partition, input_offset, output_offset) VALUES ($1, $2, $3, $4)
ON CONFLICT (lane, partition) DO UPDATE SET input_offset = excluded.input_offset, output_offset = excluded.output_offset`;
const OPEN = `INSERT INTO open_sagas (lane, partition, saga, state) SELECT $1, $2, i.saga, i.state FROM unnest($3::text[], $4::text[]) AS i(saga, state)
ON CONFLICT (lane, partition, saga) DO UPDATE SET state = excluded.state`;
const ENDED = 'DELETE FROM open_sagas WHERE lane = $1 AND partition = $2 AND saga = ANY($3::text[])';
const READ_POSITION = 'SELECT input_offset, output_offset FROM saga_snapshots WHERE lane = $1 AND partition = $2';
const READ_OPEN = 'SELECT saga, state FROM open_sagas WHERE lane = $1 AND partition = $2';
const FORGET = ['saga_snapshots', 'open_sagas'].map((table) => `DELETE FROM ${table} WHERE lane = $1 AND partition = $2`);

/** Saves the changes of a partition: all of them, or none. */
export async function saveSagaSnapshot(
  store: Store,
  { lane, partition, input_offset, output_offset, open, ended }: SagaSnapshotChanges,
): Promise<void> {
  const statements: Statement[] = [
    { name: 'open_sagas_end', text: ENDED, params: [lane, partition, ended] },
    { name: 'open_sagas_save', text: OPEN, params: [lane, partition, open.map(({ saga }) => saga), open.map(({ state }) => state)] },
    { name: 'saga_snapshot_save', text: POSITION, params: [lane, partition, input_offset, output_offset] },
  ];
  await store.atomically(statements, 'background');
}

/** The last snapshot of a partition; undefined if there is none. */
export async function readSagaSnapshot(store: Store, lane: string, partition: number): Promise<SagaSnapshot | undefined> {
  const params = [lane, partition];
  const [positions, open] = await store.atomically([
    { name: 'saga_snapshot_read', text: READ_POSITION, params },
    { name: 'open_sagas_read', text: READ_OPEN, params },
  ]);
  const position = positions?.[0] as Pick<SagaSnapshot, 'input_offset' | 'output_offset'> | undefined;
  return position && { ...position, open: (open ?? []) as OpenSagaRow[] };
}

/** Removes the snapshot of a partition that does not fit the log. */
export async function forgetSagaSnapshot(store: Store, lane: string, partition: number): Promise<void> {
  await store.atomically(FORGET.map((text) => ({ text, params: [lane, partition] })));
}
