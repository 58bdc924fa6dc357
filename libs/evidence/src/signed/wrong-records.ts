import type { DamageFinder, FoundDamage } from '../damage/found-damage.js';
import { treeName } from '../trees/tiles.js';
import type { OffsetRange } from './offset-ranges.js';

type Place = { topic: string; partition: number };

/** Records that are not what was signed, as a damage of the log. */
export function wrongRecords(place: Place, range: OffsetRange, found_by: DamageFinder): FoundDamage {
  return damageOf(place, range, found_by, 'not what the newest checkpoint signs');
}

/** Records that the log does not give, as a damage of it. */
export function unreadableRecords(place: Place, range: OffsetRange, found_by: DamageFinder): FoundDamage {
  return damageOf(place, range, found_by, 'not readable, the file that holds it is damaged');
}

/** Signed records that the log does not have, at its end. */
export function missingEnd(place: Place, range: OffsetRange, found_by: DamageFinder): FoundDamage {
  return damageOf(place, range, found_by, 'signed and not on the log any more');
}

function damageOf({ topic, partition }: Place, { first, last }: OffsetRange, found_by: DamageFinder, what: string): FoundDamage {
  const which = first === last ? `record ${first}` : `records ${first} to ${last}`;
  const reason = `${which} of ${treeName(topic, partition)}: ${what}; restore from a backup`;
  return { kind: 'log', found_by, topic, partition, first_offset: first, last_offset: last, reason };
}
