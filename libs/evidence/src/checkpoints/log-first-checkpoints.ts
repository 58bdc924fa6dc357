import { BrokenRecord } from '../trees/broken-record.js';
import type { CheckpointClaim } from './checkpoint-claim.js';
import type { CheckpointRecord, CheckpointStore, NewestCheckpoint } from './checkpoint-store.js';
import { type CheckpointTopic, textOf } from './checkpoint-topic.js';

/**
 * Checkpoints that are on the log before they are stored, so that a lost store is restored from there (`RestoredCheckpoints`).
 * They are read from the store. Where more than one process may sign, `claim` lets one of them write a number.
 */
export class LogFirstCheckpoints implements CheckpointStore {
  constructor(
    readonly kept: CheckpointStore,
    readonly topic: CheckpointTopic,
    readonly claim?: CheckpointClaim,
  ) {}

  newest(): Promise<NewestCheckpoint | undefined> {
    return this.kept.newest();
  }

  at(number: number): Promise<NewestCheckpoint | undefined> {
    return this.kept.at(number);
  }

  records(from?: number): AsyncIterable<CheckpointRecord> {
    return this.kept.records(from);
  }

  /** A crash after any of its steps is repaired by the next restore. @throws BrokenRecord where another entry is kept under the number */
  async append(record: CheckpointRecord): Promise<'kept' | 'taken'> {
    const next = ((await this.kept.newest())?.record.number ?? -1) + 1;
    if (record.number !== next) return 'taken';
    const claimed = (await this.claim?.take(record)) ?? record;
    // A later number than the next: another process is ahead of what this one reads.
    if (claimed.number !== next) return 'taken';
    await this.topic.append([claimed]);
    await this.keep(claimed);
    return textOf(claimed) === textOf(record) ? 'kept' : 'taken';
  }

  /** Stores an entry of the log. @throws BrokenRecord where the store has another one */
  async keep(record: CheckpointRecord): Promise<void> {
    if ((await this.kept.append(record)) === 'kept') return;
    const known = await this.kept.at(record.number);
    if (!known) throw new Error(`checkpoint ${record.number + 1} cannot be stored: the previous one is missing`);
    if (textOf(known.record) !== textOf(record))
      throw new BrokenRecord(`checkpoint ${record.number + 1} in the store differs from the one on the log`);
  }

  close(): Promise<void> {
    return this.kept.close();
  }
}
