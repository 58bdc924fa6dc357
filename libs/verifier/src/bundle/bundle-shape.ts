import { isCount } from '../bytes/count.js';
import type { Bundle, BundledCase, BundledRecord } from './bundle.js';

/** All members of each part. Unknown members are refused, because a verifier would ignore them and they could be forged. */
const parts = {
  bundle: ['format', 'tenant_id', 'subject', 'made_at_ms', 'calls', 'records', 'schemas', 'checkpoint', 'vkey'],
  record: ['topic', 'partition', 'offset', 'timestamp_ms', 'key', 'headers', 'value', 'event_type', 'event', 'proof'],
  proof: ['tree', 'head', 'entry'],
  tree: ['size', 'path'],
  head: ['index', 'path'],
  entry: ['number', 'time_ms', 'trees', 'path'],
  generation: ['number', 'base_offset', 'decision'],
  cut: ['number', 'state'],
  case: ['leaf', 'steps'],
  step: ['entry', 'cut', 'records'],
  timestamp: ['token'],
} as const;

/** Members that may be absent: a tree that is not the original one of its partition names its generation; entries of earlier releases have no cut. */
const optional: Partial<Record<keyof typeof parts, readonly string[]>> = {
  bundle: ['case', 'timestamp'],
  tree: ['generation'],
  entry: ['cut'],
};

function oddMember(part: keyof typeof parts, value: object): string | undefined {
  const members: readonly string[] = parts[part];
  const unknown = Object.keys(value).find((name) => !members.includes(name) && !optional[part]?.includes(name));
  if (unknown !== undefined) return `the ${part} has a member ${unknown.slice(0, 80)} that the format does not define`;
  const missing = members.find((name) => !Object.hasOwn(value, name));
  return missing && `the ${part} has no ${missing}`;
}

function timestampFault({ timestamp }: Bundle): string | undefined {
  if (timestamp === undefined) return undefined;
  return oddMember('timestamp', timestamp) ?? (typeof timestamp.token === 'string' ? undefined : 'the token of the timestamp is no text');
}

/** The first missing or unknown member of the bundle; undefined if its shape is valid. Pauses after each record. */
export function* oddShape(bundle: Bundle): Generator<undefined, string | undefined, void> {
  const odd = oddMember('bundle', bundle) ?? timestampFault(bundle);
  if (odd !== undefined) return odd;
  if (!isCount(bundle.made_at_ms)) return 'made_at_ms is not a time';
  for (const record of bundle.records) {
    const found = oddRecord(record);
    if (found !== undefined) return found;
    yield;
  }
  return bundle.case && oddCase(bundle.case);
}

function oddRecord(record: BundledRecord): string | undefined {
  const { proof } = record;
  return (
    oddMember('record', record) ??
    oddMember('proof', proof) ??
    oddMember('tree', proof.tree) ??
    (proof.tree.generation && oddMember('generation', proof.tree.generation)) ??
    oddMember('head', proof.head) ??
    oddMember('entry', proof.entry) ??
    (proof.entry.cut && oddMember('cut', proof.entry.cut))
  );
}

function oddCase(of: BundledCase): string | undefined {
  return oddMember('case', of) ?? oddRecord(of.leaf) ?? of.steps.map((step) => oddMember('step', step)).find((odd) => odd !== undefined);
}
