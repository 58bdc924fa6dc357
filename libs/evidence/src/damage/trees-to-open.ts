import type { OpenDamage } from '@countersign/domain';
import { endOf, generationNumber, headName, newestHead, type OpenedTree, type TreeHead } from '@countersign/proofs';

type Damage = Pick<OpenDamage, 'kind' | 'found_by' | 'topic' | 'partition' | 'first_offset' | 'generation'>;

/**
 * The trees that replace those that the signer could not continue, derived from these damages: the next generation of each, starting at the
 * first offset that differs from what was signed. `first`: returns the first offset that the log still has.
 */
export async function treesToOpen(
  damages: Iterable<Damage>,
  heads: Iterable<TreeHead>,
  first: (topic: string, partition: number) => Promise<number>,
): Promise<OpenedTree[]> {
  const signed = [...heads];
  const opened = new Map<string, OpenedTree>();
  for (const { kind, found_by, topic, partition, first_offset, generation } of damages) {
    if (kind !== 'log' || found_by !== 'signer' || topic === null || partition === null || first_offset === null) continue;
    const frozen = newestHead(signed, { topic, partition });
    // Ignore findings about a tree that was frozen in the meantime.
    if (!frozen || generationNumber(frozen) !== generation) continue;
    const known = opened.get(headName(frozen));
    const from = Math.max(await first(topic, partition), Math.min(first_offset, known?.base_offset ?? first_offset));
    opened.set(headName(frozen), {
      ...{ topic, partition, generation: generation + 1, base_offset: Math.min(from, endOf(frozen)) },
      ...{ frozen_size: frozen.size, frozen_root: frozen.root.toString('base64') },
    });
  }
  return [...opened.values()];
}
