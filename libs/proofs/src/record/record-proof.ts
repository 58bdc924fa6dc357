import * as verifier from '@countersign/verifier';
import { asBuffer } from '../bytes/as-buffer.js';
import { nodeHashing } from '../merkle/hashing.js';

export type TrustedCheckpoint = verifier.TrustedCheckpoint<Buffer>;

/** Opens the checkpoint of a note that the log and every required witness signed; else returns the reason. */
export function openTrusted(note: string, trust: verifier.Trust): TrustedCheckpoint | string {
  const opened = verifier.openTrusted(note, trust);
  return typeof opened === 'string' ? opened : { ...opened, root: asBuffer(opened.root) };
}

/** Like verifyRecord, under an already opened checkpoint. */
export function verifyUnder(
  record: verifier.RecordToCover,
  proof: verifier.RecordPaths,
  signed: verifier.TrustedCheckpoint,
): verifier.Verdict {
  return verifier.verifyUnder(nodeHashing, record, proof, signed);
}

/** Verifies a record on node:crypto. Never throws: unreadable input is refused. Trusts only the keys. */
export function verifyRecord(record: verifier.RecordToCover, proof: verifier.RecordProof, trust: verifier.Trust): verifier.Verdict {
  return verifier.verifyRecord(nodeHashing, record, proof, trust);
}
