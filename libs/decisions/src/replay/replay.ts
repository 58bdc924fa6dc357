import { canonicalText, memberPointer } from '@countersign/contracts';
import { decisive } from '../counterfactual/comparison.js';
import { Redecision } from '../counterfactual/redecision.js';
import { REPLAY_FORMAT, type ReplayBundle, recordingOf } from './replay-bundle.js';

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
}

const ARRAYS = ['tools', 'calls', 'configuration', 'trust', 'records', 'as_recorded', 'erased'] as const;

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
  calls: (one) => isTree(one) && typeof one.call_id === 'string' && isTree(one.decided),
  configuration: isRecord,
  trust: isRecord,
  records: isRecord,
  as_recorded: (one) => typeof one === 'string',
  erased: (one) => typeof one === 'string',
};

/** Parses a bundle and checks its shape; or returns why it is not a bundle. */
export function readReplayBundle(text: string): ReplayBundle | { fault: string } {
  let value: Partial<ReplayBundle> | null;
  try {
    value = JSON.parse(text) as Partial<ReplayBundle> | null;
  } catch (cause) {
    return { fault: `it is not JSON: ${(cause as Error).message}` };
  }
  if (value?.format !== REPLAY_FORMAT) return { fault: `it is not a bundle of the format ${REPLAY_FORMAT}` };
  const missing = ARRAYS.find((name) => !Array.isArray(value[name]));
  if (missing !== undefined) return { fault: `/${missing} is missing` };
  for (const name of ARRAYS) {
    const at = (value[name] as unknown[]).findIndex((one) => !SHAPES[name](one));
    if (at >= 0) return { fault: `/${name}/${at} does not have the shape that the format requires` };
  }
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

/** Decides every call of a bundle again, using only its records, and compares the canonical text with the recorded decision. */
export function replay(bundle: ReplayBundle): ReplayReport {
  const again = new Redecision(recordingOf(bundle), []);
  while (again.step());
  const world = again.finish();
  const erased = new Set(bundle.erased);
  const differences = bundle.calls.flatMap(({ call_id, decided }, at) => {
    if (erased.has(call_id)) return [];
    const state = world.calls.get(call_id);
    const replayed = state === undefined ? undefined : (JSON.parse(JSON.stringify(decisive(state))) as unknown);
    if (replayed !== undefined && canonicalText(replayed) === canonicalText(decided)) return [];
    return differing(decided, replayed, `/calls/${at}/decided`).map((one) => ({
      call_id,
      at: one.at,
      recorded: shown(one.a),
      replayed: shown(one.b),
    }));
  });
  return { calls: bundle.calls.length, records: bundle.records.length, differences, erased: bundle.erased };
}
