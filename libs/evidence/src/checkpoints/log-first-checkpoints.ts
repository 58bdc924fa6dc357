import { BrokenRecord } from '../trees/broken-record.js';
import type { CheckpointClaim } from './checkpoint-claim.js';
import type { CheckpointRecord, CheckpointStore, NewestCheckpoint } from './checkpoint-store.js';
import { type CheckpointTopic, textOf } from './checkpoint-topic.js';

/**
 * Appends checkpoints to the log before it stores them, so that a lost store can be restored from the log (`RestoredCheckpoints`). Reads
 * use the store. If several processes may sign, `claim` ensures that only one writes a number.
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

  /** A crash after any step is repaired by the next restore. @throws BrokenRecord if another entry is stored under the number */
  async append(record: CheckpointRecord): Promise<'kept' | 'taken'> {
    const next = ((await this.kept.newest())?.record.number ?? -1) + 1;
    if (record.number !== next) return 'taken';
    const claimed = (await this.claim?.take(record)) ?? record;
    // A later number: another process is ahead of what this one has read.
    if (claimed.number !== next) return 'taken';
    await this.topic.append([claimed]);
    await this.keep(claimed);
    return textOf(claimed) === textOf(record) ? 'kept' : 'taken';
  }

  /** Stores an entry of the log. @throws BrokenRecord if the store has a different one */
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
