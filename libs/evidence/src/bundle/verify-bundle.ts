import { canonicalText, EventCodec, eventSchemas } from '@countersign/contracts';
import type { PlacedEvent } from '@countersign/domain';
import { type Generation, headName, openTrusted, strictBase64, type Trust, type TrustedCheckpoint, verifyUnder } from '@countersign/proofs';
import { BUNDLE_FORMAT, type Bundle, type BundledRecord } from './bundle.js';
import { oddShape } from './bundle-shape.js';
import { strangeSubject } from './bundle-subject.js';
import { callSummary } from './call-summary.js';

export interface BundleReport {
  kind: 'verified';
  calls: Bundle['calls'];
  records: number;
  /** Number of checkpoints in the signed tree, and the time of the newest (the signer's clock). */
  checkpoint_size: number;
  checkpoint_time_ms: number;
  /** Root of the signed tree, base64. */
  checkpoint_root: string;
  /** What each trusted witness checks before it cosigns, for those that cosigned the checkpoint. */
  cosigned: TrustedCheckpoint['cosigned'];
  /** Trees that are not the original ones of their partitions, with the number of records in each. */
  generations: { tree: string; generation: Generation; records: number }[];
}

export type BundleVerdict = BundleReport | { kind: 'refused'; reason: string };

const refused = (reason: string): BundleVerdict => ({ kind: 'refused', reason });
const placeOf = ({ topic, partition, offset }: BundledRecord) => `${topic}/${partition}/${offset}`;

/**
 * A codec for the schema ids of the bundle. Accepts only schemas that this build knows: another schema could decode the bytes differently.
 */
function codecFor(schemas: Bundle['schemas']): EventCodec | string {
  const codec = new EventCodec();
  for (const [id, text] of Object.entries(schemas)) {
    if (!eventSchemas.some(({ schema }) => schema === text)) {
      return `schema ${id} is not one that this verifier knows: use the verifier of the release that wrote it`;
    }
    codec.addWriterSchema(Number(id), text);
  }
  return codec;
}

/** The event decoded from the record's bytes, if it equals the one in the bundle. */
function readEvent(codec: EventCodec, record: BundledRecord, value: Buffer): PlacedEvent | string {
  const { event_type, event } = codec.decode(value);
  if (event_type !== record.event_type || canonicalText(plain(event)) !== canonicalText(record.event)) {
    return `${placeOf(record)}: the bundle shows something other than the record`;
  }
  const { topic, partition, offset, timestamp_ms } = record;
  return { event_type, event, topic, partition, offset, timestamp_ms } as PlacedEvent;
}

/** The JSON form of an event. */
export function plain(event: unknown): unknown {
  return JSON.parse(JSON.stringify(event));
}

function callsOf(events: readonly PlacedEvent[]): Map<string, PlacedEvent[]> {
  const calls = new Map<string, PlacedEvent[]>();
  for (const at of events) {
    const { call_id } = at.event.meta;
    if (call_id !== null) calls.set(call_id, [...(calls.get(call_id) ?? []), at]);
  }
  return calls;
}

function strayRecord(bundle: Bundle, events: readonly PlacedEvent[]): string | undefined {
  const wanted = new Set(bundle.calls.map(({ call_id }) => call_id));
  const stray = events.find(
    ({ event: { meta } }) => meta.tenant_id !== bundle.tenant_id || (meta.call_id !== null && !wanted.has(meta.call_id)),
  );
  return stray && `${stray.topic}/${stray.partition}/${stray.offset} does not belong to the subject of the bundle`;
}

/** The events of the records, each proven and decoded; or the reason why one is not. */
function readRecords(bundle: Bundle, codec: EventCodec, signed: TrustedCheckpoint): { events: PlacedEvent[]; time_ms: number } | string {
  const events: PlacedEvent[] = [];
  const seen = new Set<string>();
  let time_ms = 0;
  for (const record of bundle.records) {
    const place = placeOf(record);
    if (seen.has(place)) return `${place} appears twice`;
    seen.add(place);
    const value = strictBase64(record.value);
    const verdict = verifyUnder({ ...record, value }, record.proof, signed);
    if (verdict.kind === 'refused') return `${place}: ${verdict.reason}`;
    time_ms = verdict.time_ms;
    const event = readEvent(codec, record, value);
    if (typeof event === 'string') return event;
    events.push(event);
  }
  return { events, time_ms };
}

function checked(bundle: Bundle, trust: Trust): BundleVerdict {
  if (bundle.format !== BUNDLE_FORMAT) return refused(`the format is ${String(bundle.format).slice(0, 80)}, not ${BUNDLE_FORMAT}`);
  const odd = oddShape(bundle);
  if (odd !== undefined) return refused(odd);
  const signed = openTrusted(bundle.checkpoint, trust);
  if (typeof signed === 'string') return refused(signed);
  if (bundle.vkey !== trust.log.vkey) return refused('the bundle names a key other than the one that signed it');
  const codec = codecFor(bundle.schemas);
  if (typeof codec === 'string') return refused(codec);
  const read = readRecords(bundle, codec, signed);
  if (typeof read === 'string') return refused(read);
  const { events, time_ms } = read;
  const stray = strayRecord(bundle, events);
  const strange = stray ?? strangeSubject(bundle, events);
  if (strange) return refused(strange);
  const calls = callsOf(events);
  for (const shown of bundle.calls) {
    const folded = callSummary(shown.call_id, calls.get(shown.call_id) ?? []);
    if (canonicalText(folded) !== canonicalText(shown))
      return refused(`the shown state of call ${shown.call_id} does not follow from its records`);
  }
  if (events.length === 0) return refused('the bundle has no records');
  return {
    kind: 'verified',
    calls: bundle.calls,
    records: events.length,
    checkpoint_size: signed.size,
    checkpoint_time_ms: time_ms,
    checkpoint_root: signed.root.toString('base64'),
    cosigned: signed.cosigned,
    generations: generationsOf(bundle),
  };
}

function generationsOf({ records }: Bundle): BundleReport['generations'] {
  const found = new Map<string, BundleReport['generations'][number]>();
  for (const { topic, partition, proof } of records) {
    const { generation } = proof.tree;
    if (!generation) continue;
    const tree = headName({ topic, partition, generation });
    found.set(tree, { tree, generation, records: (found.get(tree)?.records ?? 0) + 1 });
  }
  return [...found.values()];
}

/**
 * Checks a bundle against the keys that the caller trusts, and nothing else: each record's bytes and position by its proof, each event by
 * decoding the bytes, each call by folding its events. Never throws: unreadable input is refused. Proves that the request of each call is
 * included, but not that every later record or every call of a case is; for that, read an export of the period.
 */
export function verifyBundle(bundle: Bundle, trust: Trust): BundleVerdict {
  try {
    return checked(bundle, trust);
  } catch {
    return refused('the bundle cannot be read');
  }
}
