import { CASES_TOPIC } from '@countersign/contracts';
import { endOf, generationNumber, headName, newestHead } from '@countersign/proofs';
import type { CheckpointStore, NewestCheckpoint } from '../checkpoints/checkpoint-store.js';
import { firstCheckpoint } from '../checkpoints/first-checkpoint.js';

/** Where the cases of a tree begin: leaves at earlier offsets, and those of earlier entries, lead to none of its leaves. */
export interface CasesStart {
  offset: number;
  entry: number;
  /** The number of the tree's generation, 1 for the original one. */
  generation: number;
}

const place = { topic: CASES_TOPIC, partition: 0 };

/**
 * Where the cases of the growing tree of a checkpoint begin. In a later generation each case begins anew, with the entry that opened it:
 * it cannot be proven how many records the leaves before it count.
 */
export async function casesStart(checkpoints: Pick<CheckpointStore, 'at'>, at: NewestCheckpoint | undefined): Promise<CasesStart> {
  const tree = at && newestHead(at.heads.values(), place);
  if (!at || !tree?.generation) return { offset: 0, entry: 0, generation: 1 };
  const generation = generationNumber(tree);
  const frozen = [...at.heads.values()].find((head) => head.topic === CASES_TOPIC && generationNumber(head) === generation - 1);
  const name = headName(tree);
  const entry = await firstCheckpoint(checkpoints, at, ({ heads }) => heads.has(name));
  return { offset: frozen ? endOf(frozen) : 0, entry, generation };
}
