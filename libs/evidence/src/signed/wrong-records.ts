import { generationNumber, headName, type TreeHead, type TreePlace } from '@countersign/proofs';
import type { DamageFinder, FoundDamage } from '../damage/found-damage.js';
import type { OffsetRange } from './offset-ranges.js';

/** The tree that judged the records. */
type Place = TreePlace & Pick<TreeHead, 'generation'>;

/** A damage of the log: records that differ from what was signed. */
export function wrongRecords(place: Place, range: OffsetRange, found_by: DamageFinder): FoundDamage {
  return damageOf(place, range, found_by, 'different from what the newest checkpoint signs');
}

/** A damage of the log: records that cannot be read. */
export function unreadableRecords(place: Place, range: OffsetRange, found_by: DamageFinder): FoundDamage {
  return damageOf(place, range, found_by, 'not readable: the file that holds it is damaged');
}

/** A damage of the log: signed records that are missing at its end. */
export function missingEnd(place: Place, range: OffsetRange, found_by: DamageFinder): FoundDamage {
  return damageOf(place, range, found_by, 'signed, but missing from the log');
}

function damageOf(tree: Place, { first, last }: OffsetRange, found_by: DamageFinder, what: string): FoundDamage {
  const which = first === last ? `record ${first}` : `records ${first} to ${last}`;
  const reason = `${which} of ${headName(tree)}: ${what}; restore from a backup`;
  const { topic, partition } = tree;
  const generation = generationNumber(tree);
  return { kind: 'log', found_by, topic, partition, first_offset: first, last_offset: last, generation, reason };
}
