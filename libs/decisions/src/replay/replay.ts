import { canonicalText, memberPointer } from '@countersign/contracts';
import { GivenCounters } from '../counterfactual/call-counters.js';
import { decisive } from '../counterfactual/comparison.js';
import { Redecision } from '../counterfactual/redecision.js';
import { NO_SUMS } from './counted-elsewhere.js';
import { EARLIER_FORMAT, type EnvelopeOf, envelopeIn, REPLAY_FORMAT, type ReplayBundle, recordingOf, undosIn } from './replay-bundle.js';

/** A place where the new decision differs from the one in the bundle. */
export interface ReplayDifference {
  call_id: string;
  /** JSON Pointer into the bundle. */
  at: string;
  recorded: string;
  replayed: string;
}

export interface ReplayReport {
  calls: number;
  records: number;
  differences: ReplayDifference[];
  /** Calls that cannot be decided again because their inputs are erased. */
  erased: string[];
  /** What the bundle states without anything in it that shows it. */
  not_bound: string[];
}

const ARRAYS = ['tools', 'calls', 'configuration', 'trust', 'records', 'as_recorded', 'erased'] as const;
const NOT_SIGNED =
  'the records themselves: a bundle is not signed. An audit bundle (GET /v1/audit/bundle) proves records, and `countersign verify` checks it';
const EARLIER_ENVELOPES = `the envelopes: a bundle of the format ${EARLIER_FORMAT} has them as they were shown, with results of later undos. Export it again to have them checked`;

const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isRecord = (value: unknown): boolean =>
  isTree(value) &&
  typeof value.event_type === 'string' &&
  typeof value.topic === 'string' &&
  [value.partition, value.offset, value.timestamp_ms].every(Number.isFinite) &&
  isTree(value.event) &&
  isTree(value.event.meta);

/** Minimum shape of the elements of each list in a bundle. */
const SHAPES: Record<(typeof ARRAYS)[number], (one: unknown) => boolean> = {
  tools: isTree,
  calls: (one) => isTree(one) && typeof one.call_id === 'string' && isTree(one.decided) && isTree(one.envelope),
  configuration: isRecord,
  trust: isRecord,
  records: isRecord,
  as_recorded: (one) => typeof one === 'string',
  erased: (one) => typeof one === 'string',
};

const isSum = (one: unknown): boolean =>
  isTree(one) &&
  typeof one.counter === 'string' &&
  (one.window_ms === null || Number.isFinite(one.window_ms)) &&
  [one.slot_ms, one.added_micro, one.removed_micro].every(Number.isSafeInteger);

/** Where the sums of other calls are malformed; undefined: nowhere. */
function sumsFault(counted: unknown): string | undefined {
  if (!isTree(counted) || !Array.isArray(counted.asks) || !Number.isSafeInteger(counted.calls)) return '';
  if (!isTree(counted.records) || !Number.isSafeInteger(counted.records.count)) return '/records';
  const isAsk = (one: unknown): boolean =>
    isTree(one) &&
    typeof one.call_id === 'string' &&
    [one.revision, one.ask].every(Number.isSafeInteger) &&
    Array.isArray(one.sums) &&
    one.sums.every(isSum);
  const at = counted.asks.findIndex((one) => !isAsk(one));
  return at < 0 ? undefined : `/asks/${at}`;
}

/** Parses a bundle and checks its shape; or returns why it is not a bundle. */
export function readReplayBundle(text: string): ReplayBundle | { fault: string } {
  let value: Partial<ReplayBundle> | null;
  try {
    value = JSON.parse(text) as Partial<ReplayBundle> | null;
  } catch (cause) {
    return { fault: `it is not JSON: ${(cause as Error).message}` };
  }
  const format = value?.format;
  if (!value || (format !== REPLAY_FORMAT && format !== EARLIER_FORMAT))
    return { fault: `it is not a bundle of the format ${REPLAY_FORMAT} or ${EARLIER_FORMAT}` };
  const missing = ARRAYS.find((name) => !Array.isArray(value[name]));
  if (missing !== undefined) return { fault: `/${missing} is missing` };
  for (const name of ARRAYS) {
    const at = (value[name] as unknown[]).findIndex((one) => !SHAPES[name](one));
    if (at >= 0) return { fault: `/${name}/${at} does not have the shape that the format requires` };
  }
  if (value.calls?.length === 0) return { fault: '/calls is empty: a bundle has the calls of a run' };
  if (format === EARLIER_FORMAT && value.counted_elsewhere !== undefined)
    return {
      fault: `/counted_elsewhere is no member of the format ${EARLIER_FORMAT}: the bundle was made as ${REPLAY_FORMAT} and its format was changed`,
    };
  if (format === EARLIER_FORMAT) value.counted_elsewhere = NO_SUMS;
  const sums = sumsFault(value.counted_elsewhere);
  if (sums !== undefined) return { fault: `/counted_elsewhere${sums} does not have the shape that the format requires` };
  if (typeof value.tenant_id !== 'string' || typeof value.terms?.from_ms !== 'number') return { fault: '/terms is missing' };
  return value as ReplayBundle;
}

/** The innermost places where two JSON values differ. */
function differing(a: unknown, b: unknown, at: string): { at: string; a: unknown; b: unknown }[] {
  if (isTree(a) && isTree(b)) {
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
    return names.flatMap((name) => differing(a[name], b[name], memberPointer(at, name)));
  }
  return a === b ? [] : [{ at, a, b }];
}

const shown = (value: unknown): string => (value === undefined ? 'nothing' : canonicalText(value));

function differences(call_id: string, at: string, recorded: unknown, replayed: unknown): ReplayDifference[] {
  if (replayed !== undefined && canonicalText(replayed) === canonicalText(recorded)) return [];
  return differing(recorded, replayed, at).map((one) => ({ call_id, at: one.at, recorded: shown(one.a), replayed: shown(one.b) }));
}

/** Calls whose requests name the run but that the bundle does not list, and listed ones whose requests name another run. */
function misplaced({ run_id, calls, records }: ReplayBundle): ReplayDifference[] {
  const listed = new Map(calls.map(({ call_id }, at) => [call_id, at]));
  return records.flatMap((record) => {
    if (record.event_type !== 'tool_call_requested') return [];
    const call_id = record.event.meta.call_id as string;
    const own = record.event.call.run_id;
    const at = listed.get(call_id);
    if (at === undefined) return own === run_id ? [{ call_id, at: '/calls', recorded: 'nothing', replayed: 'a call of the run' }] : [];
    return own === null || own === run_id ? [] : [{ call_id, at: `/calls/${at}`, recorded: shown(run_id), replayed: shown(own) }];
  });
}

const SHOWN_MAX = 20;

/** What the records of an earlier bundle give instead of its envelopes. Later undos explain some of it, and a changed envelope would look the same. */
function otherEnvelopes(differing: readonly ReplayDifference[]): string[] {
  const lines = differing
    .slice(0, SHOWN_MAX)
    .map(({ call_id, at, recorded, replayed }) => `${at} of call ${call_id}: the bundle has ${recorded}, its records give ${replayed}`);
  const left = differing.length - lines.length;
  return left > 0 ? [...lines, `${left} other places of envelopes that its records do not give`] : lines;
}

function notBound({ format, counted_elsewhere: { calls, asks, records } }: ReplayBundle): string[] {
  const sums = `the sums of ${calls} other calls that share limits, given for ${asks.length} decisions: the server summed them up from ${records.count} records of its log. Only proofs of those records show them (/counted_elsewhere/records)`;
  return [...(format === EARLIER_FORMAT ? [EARLIER_ENVELOPES] : []), ...(asks.length > 0 ? [sums] : []), NOT_SIGNED];
}

/**
 * Decides every call of a bundle again, using only its records, and compares the canonical text with the recorded decision; and so the
 * envelope that the records give with the one in the bundle.
 */
export function replay(bundle: ReplayBundle, envelopeOf: EnvelopeOf): ReplayReport {
  const recording = recordingOf(bundle);
  const again = new Redecision(recording, [], new GivenCounters(bundle.counted_elsewhere.asks));
  while (again.step());
  const world = again.finish();
  const erased = new Set(bundle.erased);
  const undos = undosIn(bundle.records);
  const decisions = bundle.calls.flatMap(({ call_id, decided }, at) => {
    if (erased.has(call_id)) return [];
    const state = world.calls.get(call_id);
    const replayed = state === undefined ? undefined : (JSON.parse(JSON.stringify(decisive(state))) as unknown);
    return differences(call_id, `/calls/${at}/decided`, decided, replayed);
  });
  const envelopes = bundle.calls.flatMap(({ call_id, envelope }, at) => {
    const state = recording.calls.get(call_id)?.state;
    return differences(call_id, `/calls/${at}/envelope`, envelope, state && envelopeIn(state, undos, envelopeOf));
  });
  const isEarlier = bundle.format === EARLIER_FORMAT;
  return {
    calls: bundle.calls.length,
    records: bundle.records.length,
    differences: [...decisions, ...(isEarlier ? [] : envelopes), ...misplaced(bundle)],
    erased: bundle.erased,
    not_bound: [...notBound(bundle), ...(isEarlier ? otherEnvelopes(envelopes) : [])],
  };
}
