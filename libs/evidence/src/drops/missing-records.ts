import type { EventLog } from '@countersign/event-log';
import type { NewestCheckpoint } from '../checkpoints/checkpoint-store.js';
import type { DamageFinder, FoundDamage } from '../damage/found-damage.js';
import { treeName } from '../trees/tiles.js';
import { type DropSources, droppedBelow, signedDrops } from './recorded-drops.js';

type Partition = { topic: string; partition: number };

/** The partitions with missing records at the start, with their first available offset. */
export async function shortened(log: EventLog, partitions: Iterable<Partition>): Promise<Map<string, Partition & { first: number }>> {
  const found = new Map<string, Partition & { first: number }>();
  for (const { topic, partition } of partitions) {
    const first = await log.first(topic, partition);
    if (first > 0) found.set(treeName(topic, partition), { topic, partition, first });
  }
  return found;
}

/**
 * Records missing at the start of a partition are a drop if a signed `log_dropped` covers them; otherwise they are damage. `under`: the
 * checkpoint that must cover the `log_dropped`.
 */
export async function missingRecords(
  sources: DropSources,
  under: NewestCheckpoint | undefined,
  short: ReadonlyMap<string, Partition & { first: number }>,
  found_by: DamageFinder,
): Promise<FoundDamage[]> {
  if (short.size === 0) return [];
  const covered = droppedBelow(await signedDrops(sources, under));
  return [...short].flatMap(([tree, { topic, partition, first }]): FoundDamage[] => {
    const below = covered.get(tree) ?? 0;
    if (first <= below) return [];
    const reason = `${tree} begins at offset ${first}; a signed log_dropped covers the records below ${below}: restore the records from a backup`;
    return [{ kind: 'log', found_by, topic, partition, first_offset: below, last_offset: first - 1, reason }];
  });
}
