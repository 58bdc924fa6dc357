import type { Store } from '@countersign/store';
import type { TimestampedCheckpoint, TimestampStore } from './timestamp-store.js';

type Row = { body: string };

/** Timestamped checkpoints of a distributed installation. */
export class TimestampTable implements TimestampStore {
  constructor(private readonly store: Store) {}

  async newest(): Promise<TimestampedCheckpoint | undefined> {
    const rows = await this.store.query<Row>({
      text: 'SELECT body FROM audit_timestamps ORDER BY number DESC LIMIT 1',
      params: [],
      name: 'audit_timestamps_newest',
    });
    return stampedIn(rows);
  }

  async covering(number: number): Promise<TimestampedCheckpoint | undefined> {
    const rows = await this.store.query<Row>({
      text: 'SELECT body FROM audit_timestamps WHERE number >= $1 ORDER BY number LIMIT 1',
      params: [number],
      name: 'audit_timestamps_covering',
    });
    return stampedIn(rows);
  }

  async add(stamped: TimestampedCheckpoint): Promise<void> {
    await this.store.query({
      text: 'INSERT INTO audit_timestamps (number, body) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      params: [stamped.number, JSON.stringify(stamped)],
      name: 'audit_timestamps_add',
    });
  }
}

const stampedIn = ([row]: readonly Row[]): TimestampedCheckpoint | undefined => row && (JSON.parse(row.body) as TimestampedCheckpoint);
