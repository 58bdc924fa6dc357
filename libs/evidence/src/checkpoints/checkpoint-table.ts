import type { TreeHead } from '@countersign/proofs';
import type { Store } from '@countersign/store';
import { type CheckpointRecord, type CheckpointStore, FULL_EVERY, type NewestCheckpoint, withHeads } from './checkpoint-store.js';

type Row = { number: number; body: string };

/** Checkpoints of a distributed installation, in a table whose key allows only one signer per number. */
export class CheckpointTable implements CheckpointStore {
  private known: NewestCheckpoint | undefined;

  constructor(private readonly store: Store) {}

  async newest(): Promise<NewestCheckpoint | undefined> {
    const from = this.known ? this.known.record.number + 1 : await this.newestFull();
    const rows = await this.store.query<Row>({
      text: 'SELECT number, body FROM audit_checkpoints WHERE number >= $1 ORDER BY number',
      params: [from],
      name: 'audit_checkpoints_from',
    });
    for (const { body } of rows) {
      const record = JSON.parse(body) as CheckpointRecord;
      this.known = { record, heads: withHeads(new Map(this.known?.heads), record) };
    }
    return this.known;
  }

  async at(number: number): Promise<NewestCheckpoint | undefined> {
    let heads = new Map<string, TreeHead>();
    for (const record of await this.between(number - (number % FULL_EVERY), number)) {
      heads = withHeads(heads, record);
      if (record.number === number) return { record, heads };
    }
    return undefined;
  }

  async *records(first = 0): AsyncGenerator<CheckpointRecord> {
    for (let from = first; ; from += FULL_EVERY) {
      const page = await this.between(from, from + FULL_EVERY - 1);
      if (page.length === 0) return;
      yield* page;
    }
  }

  private async between(from: number, to: number): Promise<CheckpointRecord[]> {
    const rows = await this.store.query<Row>({
      text: 'SELECT number, body FROM audit_checkpoints WHERE number BETWEEN $1 AND $2 ORDER BY number',
      params: [from, to],
      name: 'audit_checkpoints_between',
    });
    return rows.map(({ body }) => JSON.parse(body) as CheckpointRecord);
  }

  private async newestFull(): Promise<number> {
    const [row] = await this.store.query<{ number: number | null }>({
      text: 'SELECT max(number) AS number FROM audit_checkpoints WHERE is_full',
      params: [],
      name: 'audit_checkpoints_full',
    });
    return row?.number ?? 0;
  }

  async append(record: CheckpointRecord): Promise<'kept' | 'taken'> {
    const rows = await this.store.query<{ number: number }>({
      text: `INSERT INTO audit_checkpoints (number, is_full, body) SELECT $1::int8, $2::bool, $3::text
        WHERE $1::int8 = 0 OR EXISTS (SELECT 1 FROM audit_checkpoints WHERE number = $1::int8 - 1)
        ON CONFLICT DO NOTHING RETURNING number`,
      params: [record.number, record.full, JSON.stringify(record)],
      name: 'audit_checkpoints_append',
    });
    return rows.length === 1 ? 'kept' : 'taken';
  }

  async close(): Promise<void> {}
}
