import {
  type Cut,
  entryHash,
  GrowingTree,
  HeadsLog,
  type NoteSigner,
  nextCut,
  openCheckpoint,
  type ReadTile,
  readDecisions,
  rootOf,
  signCheckpoint,
  subtreesOf,
  type TreeHead,
  type TreeMove,
  type WireDecision,
} from '@countersign/proofs';
import { readDecision } from '../damage/decision-record.js';
import { BrokenRecord } from '../trees/broken-record.js';
import { CHECKPOINTS_TREE, type Tiles } from '../trees/tiles.js';
import { CheckedMark } from './checked-mark.js';
import { type CheckpointRecord, type CheckpointStore, FULL_EVERY, storedHead } from './checkpoint-store.js';
import { checkKept, type TornTrees } from './kept-check.js';
import type { KeptText } from './kept-text.js';

/** The dependencies of a signer. */
export interface SignerParts {
  checkpoints: CheckpointStore;
  tiles: Tiles;
  signer: NoteSigner;
  /** The mark of the last checked checkpoint. */
  checked: KeptText;
}

/**
 * Signs consecutive checkpoints, each only if every changed tree continues what was signed. If two processes sign, only one of them writes
 * each number.
 */
export class CheckpointSigner {
  private constructor(
    private readonly parts: SignerParts,
    private readonly entries: GrowingTree,
    private readonly log: HeadsLog,
    private readonly mark: CheckedMark,
  ) {}

  /**
   * Resumes after the newest checkpoint, after checking all unchecked ones. `torn`: trees that must be hashed again before anything is
   * signed.
   * @throws BrokenRecord if the checkpoints differ from what the newest one signed, or one does not continue the previous one
   */
  static async resume(parts: SignerParts): Promise<{ signer: CheckpointSigner; torn: TornTrees }> {
    const { checkpoints, tiles, signer, checked } = parts;
    const mark = new CheckedMark(checked);
    const from = await mark.read(checkpoints);
    const newest = await checkpoints.newest();
    if (!newest) return { signer: new CheckpointSigner(parts, new GrowingTree(), HeadsLog.empty(), mark), torn: new Map() };
    const entries = await entriesUpTo(newest.record, parts);
    const { log, torn } = await checkKept(checkpoints, tiles, signer.verifier, from);
    if (log.size !== entries.size) throw new Error('another process is the signer');
    // Torn trees are checked only after the log was read: until then the mark stays.
    if (torn.size === 0) await mark.move(log.size, newest.record.note, true);
    return { signer: new CheckpointSigner(parts, entries, log, mark), torn };
  }

  /** The newest entry. */
  get lastEntry(): Pick<CheckpointRecord, 'number' | 'cut'> | undefined {
    return this.log.lastEntry;
  }

  /** Heads in the newest checkpoint: the growing tree of each partition. */
  get growing(): readonly TreeHead[] {
    return this.log.growing;
  }

  /**
   * Signs the current state of these trees. `decisions` allow it to open generations. `taken`: another process signs; discard this signer.
   * @throws BrokenRecord if a tree does not continue what was signed, or no decision allows a generation
   */
  async sign(
    moves: readonly TreeMove[],
    time_ms: number,
    decisions: readonly WireDecision[] = [],
    state: Cut['state'] = 'open',
  ): Promise<'kept' | 'taken'> {
    const number = this.entries.size;
    const cut = { number: nextCut(this.log.lastEntry?.cut), state };
    const opened = this.log.append({ number, time_ms, moves, decisions: readDecisions(decisions, readDecision), cut });
    if (typeof opened === 'string') throw new BrokenRecord(`nothing is signed: ${opened}`);
    const { trees, heads_root } = this.log.lastEntry as NonNullable<HeadsLog['lastEntry']>;
    const appends = this.entries.append(entryHash({ number, time_ms, trees, heads_root, cut }));
    for (const part of appends) await this.parts.tiles.append(CHECKPOINTS_TREE, part);
    const root = await this.entries.root();
    if (!root.equals(this.log.root()))
      throw new BrokenRecord(`nothing is signed: the tree of entries does not continue the ${number} signed ones`);
    const full = number % FULL_EVERY === 0;
    const record: CheckpointRecord = {
      number,
      time_ms,
      trees,
      heads_root: heads_root.toString('base64'),
      full,
      heads: (full ? this.log.all : moves.map(({ head }) => head)).map(storedHead),
      note: signCheckpoint({ size: number + 1, root }, this.parts.signer),
      ...(opened.length > 0 ? { decisions: [...decisions] } : {}),
      cut,
    };
    const kept = await this.parts.checkpoints.append(record);
    if (kept === 'kept') await this.mark.move(number + 1, record.note);
    return kept;
  }
}

/** The tree of entries that this checkpoint signed: from its tiles, or from the stored checkpoints if a crash lost tiles. */
async function entriesUpTo({ number, note }: CheckpointRecord, { checkpoints, tiles, signer }: SignerParts): Promise<GrowingTree> {
  const { verifier } = signer;
  const signed = openCheckpoint(note, verifier);
  if (!signed) throw new BrokenRecord(`checkpoint ${number} is not signed by ${verifier.vkey}: was the master key changed?`);
  const read = readOnce((level, index) => tiles.read(CHECKPOINTS_TREE, level, index));
  const known = await rootOf(subtreesOf(read), signed.size).catch(() => undefined);
  if (known?.equals(signed.root)) return GrowingTree.resume(signed.size, read);
  const entries = new GrowingTree();
  for await (const record of checkpoints.records()) {
    if (record.number > number) break;
    for (const part of entries.append(entryOf(record))) await tiles.append(CHECKPOINTS_TREE, part);
  }
  if (!(await entries.root()).equals(signed.root)) throw new BrokenRecord(`the checkpoints up to ${number} differ from what it signed`);
  return entries;
}

/** Caches each tile on first read: another signer may change it in the meantime. */
function readOnce(read: ReadTile): ReadTile {
  const known = new Map<string, Promise<Buffer>>();
  return (level, index) => {
    const name = `${level}/${index}`;
    const tile = known.get(name) ?? read(level, index);
    known.set(name, tile);
    return tile;
  };
}

function entryOf({ number, time_ms, trees, heads_root, cut }: CheckpointRecord): Buffer {
  return entryHash({ number, time_ms, trees, heads_root: Buffer.from(heads_root, 'base64'), ...(cut ? { cut } : {}) });
}
