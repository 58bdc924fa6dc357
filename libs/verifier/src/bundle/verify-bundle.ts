import { canonicalText } from '@countersign/contracts/canonical-text';
import type { PlacedEvent } from '@countersign/domain/call/evolve';
import { terminalStatuses } from '@countersign/domain/call/state';
import { gapsBetween } from '@countersign/domain/course/gaps';
import { base64, strictBase64 } from '../bytes/base64.js';
import { openTrusted, type Trust, type TrustedCheckpoint } from '../note/trust.js';
import { traceRecord } from '../record/record-proof.js';
import { type Generation, headName } from '../record/tree-heads.js';
import { BUNDLE_FORMAT, type Bundle } from './bundle.js';
import { misplacedRecord } from './bundle-order.js';
import { oddShape } from './bundle-shape.js';
import { strangeSubject } from './bundle-subject.js';
import { callSummary } from './call-summary.js';
import { type CaseProof, caseOf } from './case-leaf.js';
import { Causes, type CausesFound, countCauses, type HashedEvent } from './causes.js';
import { strangeCut } from './cut-order.js';
import { placeOf, readEvent } from './read-event.js';
import type { BundlePlatform, RecordDecoder } from './record-decoder.js';

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
  /** What the hashes of causes show. */
  causes: CausesFound;
  /** Calls whose records do not show an end. */
  open: string[];
  /** Trees that are not the original ones of their partitions, with the number of records in each. */
  generations: { tree: string; generation: Generation; records: number }[];
  /** What the bundle proves about the completeness and order of its case; absent if it has no leaf of a case. */
  case?: CaseProof;
}

/** What a bundle is checked for, in this order. */
export const BUNDLE_STEPS = ['format', 'checkpoint', 'key', 'schemas', 'records', 'subject', 'calls', 'causes', 'course', 'case'] as const;
export type BundleStep = (typeof BUNDLE_STEPS)[number];

/** The steps that fail where records are missing, though each that is there is proven. */
export const COMPLETENESS: ReadonlySet<BundleStep | undefined> = new Set<BundleStep>(['causes', 'course']);

/** `step`: the first that failed; absent if the file is too broken to tell. `gaps`: what is missing, one text each. */
export type BundleVerdict = BundleReport | { kind: 'refused'; step?: BundleStep; reason: string; gaps?: readonly string[] };

/** How far the verification of a bundle came. */
export interface BundleProgress {
  proven: number;
  records: number;
}

type Stepwise<T> = Generator<BundleProgress, T, void>;

/** Statuses after which a call has no further outcome. */
const ENDED: ReadonlySet<string> = terminalStatuses;
const SHOWN_MAX = 20;

function* unknownSchema({ schemas, records }: Bundle, decoder: RecordDecoder): Stepwise<string | undefined> {
  for (const [id, text] of Object.entries(schemas)) {
    yield { proven: 0, records: records.length };
    if (String(Number(id)) !== id || !decoder.addSchema(Number(id), text))
      return `schema ${id.slice(0, 20)} is not one that this verifier knows: use the verifier of the release that wrote it`;
  }
  return undefined;
}

/** The events of each call. */
type CallEvents = ReadonlyMap<string, PlacedEvent[]>;

function callsOf(events: readonly PlacedEvent[]): CallEvents {
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

/** A record of another tenant, or of another call from which no record of the subject follows. */
function strayRecord(bundle: Bundle, events: readonly PlacedEvent[], causes: Causes): string | undefined {
  const wanted = new Set<string | null>([null, ...bundle.calls.map(({ call_id }) => call_id)]);
  const known = causes.ancestry(events.filter(({ event: { meta } }) => wanted.has(meta.call_id)));
  const stray = events.find((at) => at.event.meta.tenant_id !== bundle.tenant_id || !known.has(at));
  return stray && `${stray.topic}/${stray.partition}/${stray.offset} does not belong to the subject of the bundle`;
}

/** The events of the records, each proven and decoded; or the reason why one is not. */
function* readRecords(
  { records }: Bundle,
  signed: TrustedCheckpoint,
  { hashing, decoder }: BundlePlatform,
): Stepwise<{ hashed: HashedEvent[]; time_ms: number } | string> {
  const hashed: HashedEvent[] = [];
  const seen = new Set<string>();
  let time_ms = 0;
  for (const record of records) {
    const place = placeOf(record);
    if (seen.has(place)) return `${place} appears twice`;
    seen.add(place);
    const value = strictBase64(record.value);
    const { failed, leaf } = traceRecord(hashing, { ...record, value }, record.proof, signed);
    if (failed || !leaf) return `${place}: ${failed?.reason}`;
    time_ms = record.proof.entry.time_ms;
    const event = readEvent(decoder, record, value);
    if (typeof event === 'string') return event;
    hashed.push({ at: event, leaf_hash: base64(leaf) });
    yield { proven: hashed.length, records: records.length };
  }
  return { hashed, time_ms };
}

function* strangeCall(bundle: Bundle, calls: CallEvents): Stepwise<string | undefined> {
  for (const shown of bundle.calls) {
    if (canonicalText(callSummary(shown.call_id, calls.get(shown.call_id) ?? [])) !== canonicalText(shown))
      return `the shown state of call ${shown.call_id} does not follow from its records`;
    yield { proven: bundle.records.length, records: bundle.records.length };
  }
  return undefined;
}

function incomplete(step: BundleStep, all: readonly string[]): BundleVerdict {
  const more = all.length - SHOWN_MAX;
  const gaps = [...all.slice(0, SHOWN_MAX), ...(more > 0 ? [`and ${more} more`] : [])];
  return { kind: 'refused', step, reason: gaps.join('; '), gaps };
}

function* strangeCauses(events: readonly PlacedEvent[], causes: Causes): Stepwise<string[]> {
  const strange: string[] = [];
  for (const at of events) {
    const found = causes.strange(at);
    if (found !== undefined) strange.push(found);
    yield { proven: events.length, records: events.length };
  }
  return strange;
}

function* gapsIn(bundle: Bundle, calls: CallEvents): Stepwise<string[]> {
  const gaps: string[] = [];
  for (const { call_id } of bundle.calls) {
    gaps.push(...gapsBetween(calls.get(call_id) ?? []).map((gap) => `call ${call_id}: ${gap}`));
    yield { proven: bundle.records.length, records: bundle.records.length };
  }
  return gaps;
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
  const { hashed, time_ms } = read;
  const events = hashed.map(({ at }) => at);
  const causes = new Causes(hashed);
  const uncaused = yield* strangeCauses(events, causes);
  const stray = strayRecord(bundle, events, causes);
  // Without a record between them, an ancestor looks like a stranger.
  if (stray !== undefined && uncaused.length > 0) return incomplete('causes', uncaused);
  const strange = stray ?? strangeSubject(bundle, events) ?? misplacedRecord(events);
  if (strange !== undefined) return refused('subject', strange);
  const byCall = callsOf(events);
  const call = yield* strangeCall(bundle, byCall);
  if (call !== undefined) return refused('calls', call);
  if (events.length === 0) return refused('records', 'the bundle has no records');
  if (uncaused.length > 0) return incomplete('causes', uncaused);
  const gaps = yield* gapsIn(bundle, byCall);
  if (gaps.length > 0) return incomplete('course', gaps);
  const of = bundle.case && caseOf(bundle, hashed, signed, platform);
  if (typeof of === 'string') return refused('case', of);
  const disordered = of && strangeCut(events, causes, of.cuts);
  if (disordered !== undefined) return refused('case', disordered);
  return {
    kind: 'verified',
    calls: bundle.calls,
    records: events.length,
    checkpoint_size: signed.size,
    checkpoint_time_ms: time_ms,
    checkpoint_root: base64(signed.root),
    cosigned: signed.cosigned,
    causes: countCauses(events),
    open: bundle.calls.filter(({ status }) => !ENDED.has(status)).map(({ call_id }) => call_id),
    generations: generationsOf(bundle),
    ...(of ? { case: of } : {}),
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
