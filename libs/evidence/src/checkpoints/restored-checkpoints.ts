import { setTimeout as sleep, setImmediate as yieldToOthers } from 'node:timers/promises';
import { HeadsLog, type NoteVerifier } from '@countersign/proofs';
import { BrokenRecord } from '../trees/broken-record.js';
import type { Tiles } from '../trees/tiles.js';
import type { CheckpointRecord } from './checkpoint-store.js';
import { CHECKPOINT_TOPIC, textOf } from './checkpoint-topic.js';
import { headsAt } from './heads-at.js';
import { followEntry } from './kept-check.js';
import type { LogFirstCheckpoints } from './log-first-checkpoints.js';

/**
 * Number of checkpoints compared with the log at a start, before anything is signed. Older ones are compared later, while the process runs.
 */
const COMPARED_AT_START = 10_000;
const PAGE = 1000;
/** Pause after each page of old checkpoints, as a multiple of its duration: the comparison uses at most a twentieth of a core. */
const REST_FACTOR = 20;
const BATCH = 200;

/** The differences that a start found and repaired. */
export interface Restoration {
  /** Checkpoints that were on the log but missing from the store. */
  restored: number;
  /** Checkpoints that were in the store but missing from the log. */
  copied: number;
  /** The topic was empty: the installation is from an earlier release, or the topic was emptied. */
  topic_was_empty: boolean;
}

/**
 * Makes the checkpoints of store and topic equal. Each checkpoint that is copied is checked first: its number, its signature over all
 * earlier entries, and that no tree disappeared or shrank. One writer at a time, before it signs.
 */
export class RestoredCheckpoints {
  constructor(
    private readonly checkpoints: LogFirstCheckpoints,
    private readonly tiles: Tiles,
    private readonly log: NoteVerifier,
    /** Number of newest checkpoints to compare at a start. */
    private readonly at_start = COMPARED_AT_START,
  ) {}

  /** @throws BrokenRecord if the two contradict each other, or an entry is missing from both */
  async restore(): Promise<Restoration> {
    const { kept, topic } = this.checkpoints;
    const stored = await this.stored();
    const onLog = await topic.size();
    const both = Math.min(stored, onLog);
    await this.compare(Math.max(0, both - this.at_start), both);
    if (stored > onLog) await this.copy(kept.records(onLog), await this.upTo(onLog));
    if (onLog > stored) await this.keepAll(topic.entries(stored), await this.upTo(stored));
    await this.finishClaim(Math.max(stored, onLog));
    return { restored: Math.max(0, onLog - stored), copied: Math.max(0, stored - onLog), topic_was_empty: onLog === 0 };
  }

  /** Compares the older checkpoints, which a start skips. @throws BrokenRecord */
  async compareOlder(isClosed: () => boolean): Promise<void> {
    const end = Math.max(0, (await this.stored()) - this.at_start);
    for (let from = 0; from < end && !isClosed(); from += PAGE) {
      const began = performance.now();
      await this.compare(from, Math.min(end, from + PAGE));
      await sleep((performance.now() - began) * REST_FACTOR, undefined, { ref: false });
    }
  }

  private async stored(): Promise<number> {
    return ((await this.checkpoints.kept.newest())?.record.number ?? -1) + 1;
  }

  /** Checks that the checkpoints of a range of numbers are equal in both. @throws BrokenRecord */
  private async compare(from: number, to: number): Promise<void> {
    if (from >= to) return;
    const kept = this.checkpoints.kept.records(from)[Symbol.asyncIterator]();
    for await (const onLog of this.checkpoints.topic.entries(from)) {
      if (onLog.number >= to) break;
      const { value, done } = await kept.next();
      if (done || value.number !== onLog.number)
        throw new BrokenRecord(`checkpoint ${onLog.number + 1} is missing from the store, and later ones are there`);
      if (textOf(value) !== textOf(onLog))
        throw new BrokenRecord(`checkpoint ${onLog.number + 1} in the store differs from the one on ${CHECKPOINT_TOPIC}`);
    }
    await kept.return?.();
  }

  /** The log at this size, from the store. */
  private async upTo(size: number): Promise<HeadsLog> {
    if (size === 0) return HeadsLog.empty();
    const opened = await headsAt(this.checkpoints.kept, this.tiles, this.log, size);
    if (typeof opened !== 'string') return opened;
    // If the tiles of the entries are torn, follow all entries, which needs no tiles.
    const seen = HeadsLog.empty();
    for await (const record of this.checkpoints.kept.records()) {
      if (record.number === size) break;
      followEntry(record, seen, this.log);
      if (record.number % PAGE === 0) await yieldToOthers();
    }
    return seen;
  }

  private async copy(records: AsyncIterable<CheckpointRecord>, seen: HeadsLog): Promise<void> {
    let batch: CheckpointRecord[] = [];
    for await (const record of records) {
      followEntry(record, seen, this.log);
      batch.push(record);
      if (batch.length < BATCH) continue;
      await this.checkpoints.topic.append(batch);
      batch = [];
    }
    if (batch.length > 0) await this.checkpoints.topic.append(batch);
  }

  private async keepAll(records: AsyncIterable<CheckpointRecord>, seen: HeadsLog): Promise<void> {
    for await (const record of records) {
      followEntry(record, seen, this.log);
      await this.checkpoints.keep(record);
    }
  }

  /** Completes the entry of a signer that died between its claim and its record, so that a number never has two entries. */
  private async finishClaim(size: number): Promise<void> {
    const claimed = await this.checkpoints.claim?.last();
    if (!claimed || claimed.number < size) return;
    if (claimed.number > size)
      throw new BrokenRecord(`checkpoint ${claimed.number + 1} was about to be signed, and only ${size} exist: checkpoints were deleted`);
    followEntry(claimed, await this.upTo(size), this.log);
    await this.checkpoints.topic.append([claimed]);
    await this.checkpoints.keep(claimed);
  }
}
