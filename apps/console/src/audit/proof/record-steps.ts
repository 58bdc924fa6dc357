import {
  base64,
  type RecordPaths,
  type RecordToCover,
  type RecordTrace,
  strictBase64,
  type TreeHashing,
  traceRecord,
} from '@countersign/verifier';
import type { OpenedCheckpoint } from './checkpoint-steps.js';
import { failed, proven, type Step, sentence, skipped } from './step.js';

/** A record as the API shows it: its value in base64. */
export type ShownRecord = Omit<RecordToCover, 'value'> & { value: string };

const TITLES = {
  leaf: 'Hash of the record',
  record_path: 'Place in its partition',
  tree_path: 'Place among all partitions',
  last_entry: 'Last entry of the checkpoint',
  entry_path: 'Root that is signed',
} as const;
type Id = keyof typeof TITLES;
const IDS = Object.keys(TITLES) as Id[];

/** The steps from a record to the signed root, each with what was computed. */
export function recordSteps(hashing: TreeHashing, record: ShownRecord, proof: RecordPaths, signed: OpenedCheckpoint): Step[] {
  const trace = traced(hashing, record, proof, signed);
  const failed_at = trace.failed ? (trace.failed.step ?? 'leaf') : undefined;
  const end = failed_at === undefined ? IDS.length : IDS.indexOf(failed_at);
  return IDS.map((id, at) => {
    if (at > end) return skipped(id, TITLES[id]);
    if (at < end) return proven(id, TITLES[id], saying(id, record, proof), values(id, trace, signed));
    return failed(id, TITLES[id], sentence(trace.failed?.reason ?? ''), values(id, trace, signed));
  });
}

/** The signature of the checkpoint was verified before. */
function traced(hashing: TreeHashing, record: ShownRecord, proof: RecordPaths, { size, root }: OpenedCheckpoint): RecordTrace {
  try {
    return traceRecord(hashing, { ...record, value: strictBase64(record.value) }, proof, { size, root, cosigned: [] });
  } catch {
    return { failed: { step: undefined, reason: 'the value of the record is not base64' } };
  }
}

function saying(id: Id, { topic, partition, offset }: ShownRecord, { tree, entry }: RecordPaths): string {
  switch (id) {
    case 'leaf':
      return 'Computed here from every byte of the record: position, time, key, headers and value.';
    case 'record_path':
      return `With ${count(tree.path.length, 'hash', 'hashes')} beside it, this leads to the root of the ${tree.size} records of ${topic}/${partition}; the record is at offset ${offset}.`;
    case 'tree_path':
      return `That root leads to the root over all ${entry.trees} trees of the log.`;
    case 'last_entry':
      return `Entry ${entry.number} is the last one that the checkpoint signs, so that no later state replaces it.`;
    case 'entry_path':
      return 'The computed root is the one in the signed checkpoint: with any other byte in the record it would be another.';
  }
}

const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;
const shown = (name: string, bytes: Uint8Array | undefined) => (bytes ? ([[name, base64(bytes)]] as const) : []);

function values(id: Id, { leaf, tree_root, heads_root, root }: RecordTrace, signed: OpenedCheckpoint): Step['values'] {
  switch (id) {
    case 'leaf':
      return shown('Leaf', leaf);
    case 'record_path':
      return shown('Root', tree_root);
    case 'tree_path':
      return shown('Root', heads_root);
    case 'last_entry':
      return undefined;
    case 'entry_path':
      return [...shown('Computed', root), ...shown('Signed', signed.root)];
  }
}
