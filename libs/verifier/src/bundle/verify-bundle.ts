import type { CaseCovered } from '@countersign/contracts';
import { canonicalText } from '@countersign/contracts/canonical-text';
import { prefixedRecordLeaf } from '@countersign/contracts/record-leaf';
import type { PlacedEvent } from '@countersign/domain/call/evolve';
import { base64, strictBase64 } from '../bytes/base64.js';
import { type ProvenCase, provenCase } from '../case/bundled-case.js';
import { CASES_TREE } from '../case/case-hash.js';
import type { TreeHashing } from '../merkle/tree-hashing.js';
import { openTrusted, type Trust, type TrustedCheckpoint } from '../note/trust.js';

import { verifyUnder } from '../record/record-proof.js';
import { type Generation, headName } from '../record/tree-heads.js';
import { BUNDLE_FORMAT, type Bundle, type BundledRecord } from './bundle.js';
import { oddShape } from './bundle-shape.js';
import { strangeSubject } from './bundle-subject.js';
import { callSummary } from './call-summary.js';
import type { RecordDecoder } from './record-decoder.js';

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
  /** What the bundle proves about the completeness and order of its case; absent if it has no leaf of a case. */
  case?: ProvenCase;
}

/** What a bundle is checked for, in this order. */
export const BUNDLE_STEPS = ['format', 'checkpoint', 'key', 'schemas', 'records', 'subject', 'calls', 'case'] as const;
export type BundleStep = (typeof BUNDLE_STEPS)[number];

/** `step`: the first that failed; absent if the file is too broken to tell. */
export type BundleVerdict = BundleReport | { kind: 'refused'; step?: BundleStep; reason: string };

/** What the verification of a bundle needs from where it runs. */
export interface BundlePlatform {
  hashing: TreeHashing;
  /** A decoder without schemas. */
  decoder: RecordDecoder;
}

/** How far the verification of a bundle came. */
export interface BundleProgress {
  proven: number;
  records: number;
}

type Stepwise<T> = Generator<BundleProgress, T, void>;

const placeOf = ({ topic, partition, offset }: BundledRecord) => `${topic}/${partition}/${offset}`;

/** The JSON form of an event. */
export function plain(event: unknown): unknown {
  return JSON.parse(JSON.stringify(event));
}

function* unknownSchema({ schemas, records }: Bundle, decoder: RecordDecoder): Stepwise<string | undefined> {
  for (const [id, text] of Object.entries(schemas)) {
    yield { proven: 0, records: records.length };
    if (!decoder.addSchema(Number(id), text))
      return `schema ${id.slice(0, 20)} is not one that this verifier knows: use the verifier of the release that wrote it`;
  }
  return undefined;
}

/** The event decoded from the record's bytes, if it equals the one in the bundle. */
function readEvent(decoder: RecordDecoder, record: BundledRecord, value: Uint8Array): PlacedEvent | string {
  const { event_type, event } = decoder.decode(value);
  if (event_type !== record.event_type || canonicalText(plain(event)) !== canonicalText(record.event)) {
    return `${placeOf(record)}: the bundle shows something other than the record`;
  }
  const { topic, partition, offset, timestamp_ms } = record;
  return { event_type, event, topic, partition, offset, timestamp_ms } as PlacedEvent;
}

function callsOf(events: readonly PlacedEvent[]): Map<string, PlacedEvent[]> {
  const calls = new Map<string, PlacedEvent[]>();
  for (const at of events) {
    const { call_id } = at.event.meta;
    if (call_id === null) continue;
    const known = calls.get(call_id);
    if (known) known.push(at);
    else calls.set(call_id, [at]);
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
function* readRecords(
  { records }: Bundle,
  signed: TrustedCheckpoint,
  { hashing, decoder }: BundlePlatform,
): Stepwise<{ events: PlacedEvent[]; leaves: Uint8Array[]; time_ms: number } | string> {
  const events: PlacedEvent[] = [];
  const leaves: Uint8Array[] = [];
  const seen = new Set<string>();
  let time_ms = 0;
  for (const record of records) {
    const place = placeOf(record);
    if (seen.has(place)) return `${place} appears twice`;
    seen.add(place);
    const value = strictBase64(record.value);
    const verdict = verifyUnder(hashing, { ...record, value }, record.proof, signed);
    if (verdict.kind === 'refused') return `${place}: ${verdict.reason}`;
    time_ms = verdict.time_ms;
    const event = readEvent(decoder, record, value);
    if (typeof event === 'string') return event;
    events.push(event);
    leaves.push(hashing.prefixedLeaf(prefixedRecordLeaf({ ...record, value })));
    yield { proven: events.length, records: records.length };
  }
  return { events, leaves, time_ms };
}

function* strangeCall(bundle: Bundle, events: readonly PlacedEvent[]): Stepwise<string | undefined> {
  const calls = callsOf(events);
  for (const shown of bundle.calls) {
    if (canonicalText(callSummary(shown.call_id, calls.get(shown.call_id) ?? [])) !== canonicalText(shown))
      return `the shown state of call ${shown.call_id} does not follow from its records`;
    yield { proven: events.length, records: events.length };
  }
  return undefined;
}

function* shapeOf(bundle: Bundle): Stepwise<string | undefined> {
  const shape = oddShape(bundle);
  for (;;) {
    const next = shape.next();
    if (next.done) return next.value;
    yield { proven: 0, records: bundle.records.length };
  }
}

function* checked(bundle: Bundle, trust: Trust, platform: BundlePlatform): Stepwise<BundleVerdict> {
  const refused = (step: BundleStep, reason: string): BundleVerdict => ({ kind: 'refused', step, reason });
  if (bundle.format !== BUNDLE_FORMAT)
    return refused('format', `the format is ${String(bundle.format).slice(0, 80)}, not ${BUNDLE_FORMAT}`);
  const odd = yield* shapeOf(bundle);
  if (odd !== undefined) return refused('format', odd);
  const signed = openTrusted(bundle.checkpoint, trust);
  if (typeof signed === 'string') return refused('checkpoint', signed);
  if (bundle.vkey !== trust.log.vkey) return refused('key', 'the bundle names a key other than the one that signed it');
  const unknown = yield* unknownSchema(bundle, platform.decoder);
  if (unknown !== undefined) return refused('schemas', unknown);
  const read = yield* readRecords(bundle, signed, platform);
  if (typeof read === 'string') return refused('records', read);
  const { events, time_ms } = read;
  const strange = strayRecord(bundle, events) ?? strangeSubject(bundle, events);
  if (strange !== undefined) return refused('subject', strange);
  const call = yield* strangeCall(bundle, events);
  if (call !== undefined) return refused('calls', call);
  if (events.length === 0) return refused('records', 'the bundle has no records');
  const of = bundle.case && caseOf(bundle, read, signed, platform);
  if (typeof of === 'string') return refused('case', of);
  return {
    kind: 'verified',
    calls: bundle.calls,
    records: events.length,
    checkpoint_size: signed.size,
    checkpoint_time_ms: time_ms,
    checkpoint_root: base64(signed.root),
    cosigned: signed.cosigned,
    generations: generationsOf(bundle),
    ...(of ? { case: of } : {}),
  };
}

/** What the leaf of the case proves, or why it proves nothing. */
function caseOf(
  { case: of, tenant_id }: Bundle,
  { events, leaves }: { events: readonly PlacedEvent[]; leaves: readonly Uint8Array[] },
  signed: TrustedCheckpoint,
  { hashing, decoder }: BundlePlatform,
): ProvenCase | string | undefined {
  if (!of) return undefined;
  const { leaf, steps } = of;
  const value = strictBase64(leaf.value);
  const verdict = verifyUnder(hashing, { ...leaf, value }, leaf.proof, signed);
  if (verdict.kind === 'refused') return `${placeOf(leaf)}: ${verdict.reason}`;
  const event = readEvent(decoder, leaf, value);
  if (typeof event === 'string') return event;
  if (event.event_type !== 'case_covered' || leaf.topic !== CASES_TREE) return `${placeOf(leaf)} is not the leaf of a case`;
  const covered = event.event as unknown as CaseCovered;
  if (covered.meta.tenant_id !== tenant_id) return 'the leaf is of a case of another tenant';
  const isOther = (at: PlacedEvent) => at.event_type === 'tool_call_requested' && at.event.call.case_id !== covered.case_id;
  if (events.some(isOther)) return 'the leaf is of another case than the calls';
  return provenCase(hashing, covered, steps, leaves);
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
 * decoding the bytes, each call by folding its events. Pauses after each record and call. Never throws: unreadable input is refused. Proves
 * that the request of each call is included, but not that every later record or every call of a case is; for that, read an export of the
 * period.
 */
export function* bundleSteps(bundle: Bundle, trust: Trust, platform: BundlePlatform): Stepwise<BundleVerdict> {
  try {
    return yield* checked(bundle, trust, platform);
  } catch {
    return { kind: 'refused', reason: 'the bundle cannot be read' };
  }
}

/** Checks a bundle at once: `bundleSteps` without its pauses. */
export function verifyBundle(bundle: Bundle, trust: Trust, platform: BundlePlatform): BundleVerdict {
  const steps = bundleSteps(bundle, trust, platform);
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
  }
}
