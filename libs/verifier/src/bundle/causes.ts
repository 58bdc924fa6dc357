import type { PlacedEvent } from '@countersign/domain/call/evolve';
import { strictBase64 } from '../bytes/base64.js';
import { HASH_BYTES } from '../merkle/tree-hashing.js';

/** An event of a bundle with the hash of its record's leaf, in base64. */
export interface HashedEvent {
  at: PlacedEvent;
  leaf_hash: string;
}

/** What the cause hashes of a bundle show. */
export interface CausesFound {
  /** Events that name their cause by its hash, which is in the bundle. */
  proven: number;
  /** Events of calls that name a cause without its hash: their ancestors may be missing. */
  unproven: number;
}

export const nameOf = ({ event_type, topic, partition, offset }: PlacedEvent): string => `${event_type} ${topic}/${partition}/${offset}`;

function isHash(text: string): boolean {
  try {
    return strictBase64(text).length === HASH_BYTES;
  } catch {
    return false;
  }
}

/** Why an event cannot follow from its cause; undefined: it can. */
function strangeOrder(cause: PlacedEvent, effect: PlacedEvent): string | undefined {
  const [before, after] = [cause.event.meta.hlc, effect.event.meta.hlc];
  if (before >= after)
    return `${nameOf(effect)} has the logical time ${after}, and its cause ${nameOf(cause)} the time ${before}: a cause is earlier`;
  const same = cause.topic === effect.topic && cause.partition === effect.partition;
  return same && cause.offset >= effect.offset ? `${nameOf(effect)} is on the log before its cause ${nameOf(cause)}` : undefined;
}

/** The events of a bundle by the hashes and ids of their records. An event that was written twice counts by its earlier time. */
export class Causes {
  private readonly byHash: ReadonlyMap<string, PlacedEvent>;
  private readonly byId: ReadonlyMap<string, PlacedEvent>;

  constructor(events: readonly HashedEvent[]) {
    this.byHash = new Map(events.map(({ at, leaf_hash }) => [leaf_hash, at]));
    const byId = new Map<string, PlacedEvent>();
    for (const { at } of events) {
      const { event_id, hlc } = at.event.meta;
      const known = byId.get(event_id);
      if (!known || hlc < known.event.meta.hlc) byId.set(event_id, at);
    }
    this.byId = byId;
  }

  /** The cause of an event, if it is in the bundle; by its id where the event has no hash of it. */
  of({ event: { meta } }: PlacedEvent): PlacedEvent | undefined {
    const { cause_hash, causation_id } = meta;
    if (cause_hash != null) return this.byHash.get(cause_hash);
    return causation_id === null ? undefined : this.byId.get(causation_id);
  }

  /** What is wrong between an event and its cause; undefined: nothing. */
  strange(at: PlacedEvent): string | undefined {
    const { cause_hash, causation_id } = at.event.meta;
    const cause = this.of(at);
    if (cause_hash == null) return cause && strangeOrder(cause, at);
    if (!isHash(cause_hash)) return `${nameOf(at)} names its cause by a text that is no hash`;
    if (!cause) return `the record that caused ${nameOf(at)} is missing: event ${causation_id ?? 'unknown'} with the hash ${cause_hash}`;
    if (cause.event.meta.event_id !== causation_id)
      return `${nameOf(at)} names event ${causation_id} as its cause, and the hash of ${nameOf(cause)}, which is another event`;
    return strangeOrder(cause, at);
  }

  /** The events from which these follow by their hashes, themselves included. */
  ancestry(events: readonly PlacedEvent[]): ReadonlySet<PlacedEvent> {
    const found = new Set(events);
    for (const at of found) {
      const { cause_hash } = at.event.meta;
      const cause = cause_hash == null ? undefined : this.byHash.get(cause_hash);
      if (cause) found.add(cause);
    }
    return found;
  }
}

/** How many events name their causes by hash, and how many by id alone. */
export function countCauses(events: readonly PlacedEvent[]): CausesFound {
  const caused = events.filter(({ event: { meta } }) => meta.call_id !== null && meta.causation_id !== null);
  const proven = caused.filter(({ event: { meta } }) => meta.cause_hash != null).length;
  return { proven, unproven: caused.length - proven };
}
