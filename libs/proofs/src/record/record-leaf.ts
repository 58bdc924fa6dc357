import { prefixedRecordLeaf, type RecordToCover } from '@countersign/verifier';
import { prefixedLeafHash } from '../merkle/hashing.js';

/** The hash of a record's leaf in the tree of its partition (`prefixedRecordLeaf`); the leaf index follows from its offset. */
export function recordHash(record: RecordToCover): Buffer {
  return prefixedLeafHash(prefixedRecordLeaf(record));
}
