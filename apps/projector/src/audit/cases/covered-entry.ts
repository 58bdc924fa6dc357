import {
  brokenLeaf,
  type CaseLeaf,
  type CheckpointRecord,
  type CheckpointStore,
  firstCheckpoint,
  headOf,
  withHeads,
} from '@countersign/evidence';
import { type Cut, headName, type TreeHead } from '@countersign/proofs';

/** A signed entry, and the trees that it moves. */
export interface CoveredEntry {
  number: number;
  cut: Cut;
  moved: readonly TreeHead[];
}

/** Records of up to this many entries are looked through for a place to begin. */
const WINDOW = 64;
/** A record may wait for the request of its call for this many cuts. */
const CUTS_BACK = 2;

/** The entry as it was stored; undefined for an entry without a cut. */
export function coveredEntry(record: CheckpointRecord, before: ReadonlyMap<string, TreeHead>): CoveredEntry | undefined {
  const { number, cut, heads } = record;
  const moved = heads.map(headOf).filter((head) => before.get(headName(head))?.size !== head.size);
  return cut && { number, cut, moved };
}

/** The first entry with a cut; undefined if there is none. */
export async function firstWithCut(checkpoints: CheckpointStore): Promise<number | undefined> {
  const newest = await checkpoints.newest();
  return newest?.record.cut && firstCheckpoint(checkpoints, newest, ({ record }) => record.cut !== undefined);
}

/**
 * The cut of the entry of a leaf. Leaves are written after their entry is stored, so without it checkpoints were removed or replaced, or
 * the leaf is false.
 * @throws BrokenRecord
 */
export async function cutOfLeaf(
  checkpoints: CheckpointStore,
  { offset, entry }: Pick<CaseLeaf, 'offset' | 'entry'>,
  generation: number,
): Promise<Cut> {
  const at = await checkpoints.at(entry);
  const is = `is a leaf for checkpoint ${entry + 1}`;
  if (!at) throw brokenLeaf(offset, generation, `${is}, which is missing: checkpoints were truncated`);
  const { cut } = at.record;
  if (!cut) throw brokenLeaf(offset, generation, `${is}, which has no cut: checkpoints were replaced`);
  return cut;
}

/** The entry with which to begin so that all records that wait at entry `last`, of this cut, are known: two cuts before. */
export async function entryBefore(checkpoints: CheckpointStore, last: number, cut: Cut): Promise<number> {
  for (let window = WINDOW; ; window *= 2) {
    const from = Math.max(0, last - window);
    for await (const record of checkpoints.records(from)) {
      if (record.number > last) break;
      if (record.cut && record.cut.number >= cut.number - CUTS_BACK) {
        if (record.number > from || from === 0) return record.number;
        break;
      }
    }
  }
}

/** The heads of all trees before an entry. */
export async function headsBefore(checkpoints: CheckpointStore, number: number): Promise<Map<string, TreeHead>> {
  return new Map(number === 0 ? [] : (await checkpoints.at(number - 1))?.heads);
}

/** The stored entries from a number on. */
export async function* storedEntries(
  checkpoints: CheckpointStore,
  from: number,
  before: Map<string, TreeHead>,
): AsyncGenerator<CoveredEntry> {
  let heads = before;
  for await (const record of checkpoints.records(from)) {
    const entry = coveredEntry(record, heads);
    heads = withHeads(new Map(heads), record);
    if (entry) yield entry;
  }
}
