import { type Cut, strangeCut } from '@countersign/verifier';
import { Frontier } from '../merkle/frontier.js';
import { EMPTY_ROOT } from '../merkle/hashing.js';
import { isConsistent } from '../merkle/verify.js';
import {
  type CheckpointEntry,
  entryHash,
  generationNumber,
  headHash,
  headName,
  sortedHeads,
  type TreeHead,
  type TreePlace,
} from '../record/tree-heads.js';
import { type HeadsBefore, type Opening, openingsIn, type ProvenDecision } from './openings.js';
import type { TreeMove } from './served-entries.js';

/** The content of the last entry's leaf, with its audit path while it is the last. */
interface LastEntry extends CheckpointEntry {
  path: Buffer[];
}

/** The next entry, with the proofs that each changed tree only grew. */
export interface NextEntry {
  number: number;
  time_ms: number;
  moves: readonly TreeMove[];
  /** Absent in entries of earlier releases. */
  cut?: Cut | undefined;
  /** The decisions by which the entry opens generations; absent in other entries. */
  decisions?: readonly ProvenDecision[];
}

/**
 * Follows the entries of a log, and keeps the heads of all trees in the last one. A known tree never disappears and only grows; a frozen
 * tree never changes.
 */
export class HeadsLog implements HeadsBefore {
  private sorted: TreeHead[];
  /** The growing generation of each partition, if it is not the original tree. */
  private readonly later = new Map<string, TreeHead>();
  private last: LastEntry | undefined;

  private constructor(
    private readonly entries: Frontier,
    private readonly heads: Map<string, TreeHead>,
    /** Cached leaf hashes of the heads, so that an entry needs hashes only for changed heads. */
    private readonly leaves: Map<string, Buffer>,
  ) {
    this.sorted = sortedHeads(heads.values());
    for (const head of this.sorted) this.noteLater(head);
  }

  /** The log before its first entry. */
  static empty(): HeadsLog {
    return new HeadsLog(Frontier.empty(), new Map(), new Map());
  }

  /**
   * The log at this entry, from its heads and path; undefined if they cannot belong to one entry. The caller must compare its root with a
   * signed one.
   */
  static at(entry: Pick<LastEntry, 'number' | 'time_ms' | 'path' | 'cut'>, heads: readonly TreeHead[]): HeadsLog | undefined {
    const before = Frontier.beforeLast(entry.number, entry.path);
    const named = new Map(heads.map((head) => [headName(head), head]));
    if (!before || named.size !== heads.length) return undefined;
    if (!heads.every((head) => generationNumber(head) === 1 || named.has(nameBefore(head)))) return undefined;
    const log = new HeadsLog(before, named, new Map(heads.map((head) => [headName(head), headHash(head)])));
    log.close(entry.time_ms, entry.cut);
    return log;
  }

  /** Number of entries: the size of the checkpoint that covers them. */
  get size(): number {
    return this.entries.size;
  }

  /** All heads, in hashing order. */
  get all(): readonly TreeHead[] {
    return this.sorted;
  }

  get lastEntry(): LastEntry | undefined {
    return this.last;
  }

  head(tree: TreePlace & Pick<TreeHead, 'generation'>): TreeHead | undefined {
    return this.heads.get(headName(tree));
  }

  newest({ topic, partition }: TreePlace): TreeHead | undefined {
    const place = { topic, partition };
    return this.later.get(headName(place)) ?? this.heads.get(headName(place));
  }

  /** The growing tree of each partition: its newest generation. */
  get growing(): readonly TreeHead[] {
    return this.sorted.filter((head) => this.newest(head) === head);
  }

  private noteLater(head: TreeHead): void {
    const { topic, partition, generation } = head;
    const place = headName({ topic, partition });
    if (generation && generation.number >= (this.later.get(place)?.generation?.number ?? 0)) this.later.set(place, head);
  }

  /** Root of the tree over all entries, which a checkpoint signs. */
  root(): Buffer {
    return this.entries.root();
  }

  private headsRoot(): { trees: number; heads_root: Buffer } {
    const tree = Frontier.empty();
    for (const head of this.sorted) tree.append(this.leaves.get(headName(head)) as Buffer);
    return { trees: this.sorted.length, heads_root: tree.root() };
  }

  copy(): HeadsLog {
    const copy = new HeadsLog(this.entries.copy(), new Map(this.heads), new Map(this.leaves));
    copy.last = this.last;
    return copy;
  }

  /**
   * Adds the next entry. Each changed tree must be proven to have only grown, and each new generation must have a decision. Returns the
   * opened generations; or the reason why the entry is refused, and then adds nothing.
   */
  append({ number, time_ms, moves, decisions = [], cut }: NextEntry): readonly Opening[] | string {
    if (number !== this.size) return `entry ${this.size} is missing: entry ${number} is in its place`;
    const strange = strangeCut(this.last?.cut, cut);
    if (strange !== undefined) return `entry ${number} ${strange}`;
    const moved = new Set<string>();
    for (const { head, path } of moves) {
      const name = headName(head);
      if (moved.has(name)) return `entry ${number} moves ${name} twice`;
      moved.add(name);
      const fault = strangeMove(this.heads.get(name), head, path);
      if (fault !== undefined) return `entry ${number}: ${name} ${fault}`;
    }
    const heads = moves.map(({ head }) => head);
    const openings = openingsIn(this, heads, decisions);
    if (typeof openings === 'string') return `entry ${number}: ${openings}`;
    this.appendHeads(time_ms, heads, cut);
    return openings;
  }

  /** Adds the next entry without proofs. The caller must verify from the leaves that its trees only grew, and that its cut follows. */
  appendHeads(time_ms: number, moved: readonly TreeHead[], cut?: Cut): void {
    if (!Number.isSafeInteger(time_ms)) throw new RangeError('the time of an entry is a whole number of milliseconds');
    const known = this.heads.size;
    for (const head of moved) {
      this.heads.set(headName(head), head);
      this.leaves.set(headName(head), headHash(head));
      this.noteLater(head);
    }
    if (this.heads.size > known) this.sorted = sortedHeads(this.heads.values());
    else this.sorted = this.sorted.map((head) => this.heads.get(headName(head)) as TreeHead);
    this.close(time_ms, cut);
  }

  private close(time_ms: number, cut: Cut | undefined): void {
    const number = this.entries.size;
    const entry = { number, time_ms, ...this.headsRoot(), ...(cut ? { cut } : {}) };
    this.last = { ...entry, path: this.entries.pathOfNext() };
    this.entries.append(entryHash(entry));
  }
}

function nameBefore({ topic, partition, generation }: TreeHead): string {
  const number = (generation?.number ?? 1) - 1;
  return number === 1 ? headName({ topic, partition }) : `${headName({ topic, partition })}#${number}`;
}

/** Why a tree may not move from one head to another; undefined if it only grew. A new tree starts empty. */
export function strangeMove(before: TreeHead | undefined, after: TreeHead, path: readonly Buffer[]): string | undefined {
  const from = before?.size ?? 0;
  if (after.size === 0) return before || !after.root.equals(EMPTY_ROOT) || path.length > 0 ? 'has no records and a root' : undefined;
  if (after.size < from) return `went back from ${from} records to ${after.size}`;
  if (after.size === from) return `changed without growing: it has ${from} records`;
  if (isConsistent({ size: from, root: before?.root ?? EMPTY_ROOT }, after, path)) return undefined;
  return `with ${after.size} records does not continue what it was with ${from}: a record was changed, or the proof is not of this tree`;
}
