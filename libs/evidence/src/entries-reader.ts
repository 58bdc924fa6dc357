import { setImmediate as yieldToOthers } from 'node:timers/promises';
import {
  type CoveredHeads,
  followEntries,
  HeadsLog,
  type NoteVerifier,
  openHeads,
  type ServedEntries,
  type ServedEntry,
  wireMove,
} from '@countersign/proofs';
import type { CheckpointStore } from './checkpoints/checkpoint-store.js';
import { coveredBy, headsAt } from './checkpoints/heads-at.js';
import { MoveProofs, movedIn } from './checkpoints/tree-moves.js';
import { readDecision } from './damage/decision-record.js';
import type { Tiles } from './trees/tiles.js';

/**
 * A page ends after this many entries, or after the entry that reaches this many moves: at most about 4 MB, even if hundreds of trees move
 * at once.
 */
const ENTRIES_MAX = 256;
const MOVES_MAX = 4096;

/** `broken`: the stored data does not prove the answer. */
export type EntriesAnswer<T> = { kind: 'found'; found: T } | { kind: 'not_found' } | { kind: 'broken'; reason: string };

const broken = (reason: string) => ({ kind: 'broken', reason }) as const;

/**
 * Serves entries in order, with proofs that every tree only grew, from stored checkpoints and tiles. Checks each page before it is served.
 */
export class EntriesReader {
  constructor(
    private readonly checkpoints: CheckpointStore,
    private readonly tiles: Tiles,
    private readonly log: NoteVerifier,
  ) {}

  /** The heads of all trees that the checkpoint of this size covers; without a size, of the newest. */
  async heads(size?: number): Promise<EntriesAnswer<CoveredHeads>> {
    const kept = size === undefined ? await this.checkpoints.newest() : await this.checkpoints.at(size - 1);
    if (!kept) return { kind: 'not_found' };
    const covered = await coveredBy(kept, this.tiles).catch((cause: Error) => cause);
    if (covered instanceof Error) return broken(covered.message);
    const opened = openHeads(covered, this.log);
    return opened.kind === 'followed' ? { kind: 'found', found: covered } : broken(opened.reason);
  }

  /**
   * The entries after the checkpoint of size `first` (0: from the first entry), as many as fit into a page, up to the checkpoint of size
   * `second` if given. Empty if `first` is the newest.
   */
  async entries(first: number, second?: number): Promise<EntriesAnswer<ServedEntries>> {
    const newest = await this.checkpoints.newest();
    if (!newest || first > newest.record.number + 1 || (second !== undefined && second <= first)) return { kind: 'not_found' };
    if (first === newest.record.number + 1) return { kind: 'found', found: { first, entries: [], checkpoint: newest.record.note } };
    const seen = first === 0 ? HeadsLog.empty() : await headsAt(this.checkpoints, this.tiles, this.log, first);
    if (typeof seen === 'string') return broken(seen);
    const page = await this.page(seen, second ?? newest.record.number + 1).catch((cause: Error) => cause);
    if (page instanceof Error) return broken(page.message);
    const followed = followEntries(seen, page, { log: this.log, readDecision });
    return followed.kind === 'followed' ? { kind: 'found', found: page } : broken(followed.reason);
  }

  private async page(seen: HeadsLog, second: number): Promise<ServedEntries> {
    const first = seen.size;
    const at = seen.copy();
    const proofs = new MoveProofs(this.tiles);
    const entries: ServedEntry[] = [];
    let checkpoint = '';
    let moves = 0;
    for await (const record of this.checkpoints.records(first)) {
      const moved = movedIn(record, at);
      const entry: ServedEntry = { number: record.number, time_ms: record.time_ms, moved: [] };
      for (const head of moved) {
        entry.moved.push(wireMove(head, await proofs.path(at.head(head), head)));
      }
      if (record.decisions) entry.decisions = record.decisions;
      if (record.cut) entry.cut = record.cut;
      at.appendHeads(record.time_ms, moved, record.cut);
      entries.push(entry);
      checkpoint = record.note;
      moves += moved.length;
      if (entries.length === ENTRIES_MAX || moves >= MOVES_MAX || record.number + 1 === second) break;
      await yieldToOthers();
    }
    return { first, entries, checkpoint };
  }
}
