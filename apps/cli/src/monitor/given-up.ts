import { type Checkpoint, headName, type NoteVerifier, openHeads, spansOf, type TreeHead } from '@countersign/proofs';
import type { LogClient } from '../witness/log-client.js';

/**
 * The records that decisions on the log gave up: a frozen tree covers them, and the next generation judges them. What was signed of them
 * may be lost, so that they cannot be hashed up to the head of the frozen tree. Each decision is checked with the entry that opens its tree.
 */
export class GivenUpRecords {
  static readonly none = new GivenUpRecords(new Map());

  private constructor(private readonly ends: ReadonlyMap<string, number>) {}

  /** As the newest checkpoint shows it; or why its heads are not those that were signed. @throws LogUnavailable */
  static async at(client: Pick<LogClient, 'heads'>, newest: Checkpoint, log: NoteVerifier): Promise<GivenUpRecords | string> {
    const opened = openHeads(await client.heads(newest.size), log);
    if (opened.kind === 'refused') return opened.reason;
    if (opened.log.size !== newest.size || !opened.log.root().equals(newest.root))
      return `the heads that the log serves are not those of checkpoint ${newest.size}`;
    const frozen = spansOf(opened.log.all).filter(({ isFrozen }) => isFrozen);
    return new GivenUpRecords(new Map(frozen.map(({ head, end }) => [headName(head), end])));
  }

  /** The first offset of a tree that was given up; infinite if none was. */
  from(head: TreeHead): number {
    return this.ends.get(headName(head)) ?? Number.POSITIVE_INFINITY;
  }
}
