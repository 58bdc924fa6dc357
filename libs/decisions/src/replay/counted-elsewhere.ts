import { sha256Hex } from '@countersign/contracts';
import { type CountedElsewhere, NotedCounters } from '../counterfactual/call-counters.js';
import { Redecision } from '../counterfactual/redecision.js';
import type { Recording } from '../counterfactual/simulated-world.js';
import type { ReadEvent } from '../read-event.js';

/** The records that sums were made of. Proofs of exactly these records prove the sums. */
export interface SummedRecords {
  count: number;
  /** SHA-256 (hex) of their event ids, sorted, one a line. */
  event_ids_sha256: string;
  /** Where they are on the log, other records between them. */
  places: { topic: string; partition: number; first_offset: number; last_offset: number }[];
}

/** What other calls counted towards shared limits, as sums. Nothing in the bundle proves them; `records` names what does. */
export interface SumsOfOthers {
  calls: number;
  asks: CountedElsewhere[];
  records: SummedRecords;
}

const NO_RECORDS: SummedRecords = { count: 0, event_ids_sha256: sha256Hex(''), places: [] };
export const NO_SUMS: SumsOfOthers = { calls: 0, asks: [], records: NO_RECORDS };

/** Decisions hold reservations; ends settle them. */
const COUNTS = /^(policy-decided|approval-granted|tool-executed)(\.|$)/;

function summed(records: readonly ReadEvent[]): SummedRecords {
  const places = new Map<string, SummedRecords['places'][number]>();
  for (const { topic, partition, offset } of records) {
    const key = `${topic}/${String(partition).padStart(6, '0')}`;
    const { first_offset, last_offset } = places.get(key) ?? { first_offset: offset, last_offset: offset };
    places.set(key, { topic, partition, first_offset: Math.min(first_offset, offset), last_offset: Math.max(last_offset, offset) });
  }
  const ids = records.map(({ event }) => event.meta.event_id).sort();
  const sorted = [...places].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, place]) => place);
  return { count: ids.length, event_ids_sha256: sha256Hex(ids.join('\n')), places: sorted };
}

/**
 * Decides the whole recording again, and sums up what calls that are not its own counted each time that an own call asked limits.
 * `until_ms`: the last record of its own calls; what others did later is no part of the bundle.
 */
export function* countedElsewhere(recording: Recording, until_ms: number): Generator<void, SumsOfOthers> {
  let isShared = false;
  for (const call_id of recording.calls.ids()) isShared ||= !recording.own.has(call_id);
  yield;
  if (!isShared) return NO_SUMS;
  const counters = new NotedCounters(recording.own);
  const again = new Redecision({ ...recording, until_ms }, [], counters);
  while (again.step()) yield;
  const records: ReadEvent[] = [];
  for (const call_id of counters.others) {
    const events = recording.calls.get(call_id)?.events ?? [];
    records.push(...events.filter(({ topic, timestamp_ms }) => COUNTS.test(topic) && timestamp_ms <= until_ms));
    yield;
  }
  return { calls: counters.others.size, asks: counters.noted, records: summed(records) };
}
