import { readPolicySnapshot, type Sql, savePolicySnapshot } from '@countersign/store';
import type { SnapshotRows } from './snapshots.js';

/** Snapshots in the table `policy_snapshots`. */
export class SnapshotTable implements SnapshotRows {
  constructor(private readonly sql: Sql) {}

  async load(lane: string, partition: number): Promise<{ body: string; offsets: string } | undefined> {
    return (await readPolicySnapshot(this.sql, lane, partition)) ?? undefined;
  }

  async save(lane: string, partition: number, row: { body: string; offsets: string }): Promise<void> {
    await savePolicySnapshot(this.sql, lane, partition, row);
  }
}
