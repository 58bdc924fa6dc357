export { compareBytes } from '@countersign/contracts/compare-bytes';
export { prefixedRecordLeaf, type RecordToCover } from '@countersign/contracts/record-leaf';
export { EventDecoder, type KnownSchema } from './avro/event-decoder.js';
export { BUNDLE_FORMAT, type Bundle, type BundledCall, type BundledCase, type BundledRecord } from './bundle/bundle.js';
export { callSummary } from './bundle/call-summary.js';
export type { CausesFound } from './bundle/causes.js';
export { plain } from './bundle/read-event.js';
export type { BundlePlatform, RecordDecoder } from './bundle/record-decoder.js';
export {
  BUNDLE_STEPS,
  type BundleProgress,
  type BundleReport,
  type BundleStep,
  type BundleVerdict,
  bundleSteps,
  COMPLETENESS,
  verifyBundle,
} from './bundle/verify-bundle.js';
export { base64, strictBase64 } from './bytes/base64.js';
export { concatBytes, equalBytes, utf8 } from './bytes/bytes.js';
export { type BundledStep, type CaseItem, type ProvenCase, provenCase } from './case/bundled-case.js';
export { type CaseStep, caseHash, caseStart } from './case/case-hash.js';
export type { ProofCrypto, VerifySignature } from './crypto/proof-crypto.js';
export { HASH_BYTES, type TreeHashing, treeHashing } from './merkle/tree-hashing.js';
export { isConsistent, isIncluded, rootFromInclusion, type TreeState } from './merkle/verify.js';
export { type Checkpoint, checkpointIn, openCheckpoint } from './note/checkpoint.js';
export { cosignedAt, cosignedMessage } from './note/cosignature.js';
export { COSIGNATURE_V1, ED25519, type NoteVerifier, parseVkey, type SignatureType, verifierOf } from './note/note-key.js';
export { isSignedBy, type NoteSignature, parseNote, type SignedNote, signatureLine } from './note/signed-note.js';
export { openTrusted, type Trust, type TrustedCheckpoint } from './note/trust.js';
export { BadTrust, logKey, parseTrust } from './note/trust-text.js';
export { checkedBy, parseWitness, type Witness, type WitnessChecks } from './note/witness-key.js';
export { type Cut, nextCut, readCut, strangeCut } from './record/cut.js';
export {
  type ProofStep,
  type RecordPaths,
  type RecordProof,
  type RecordTrace,
  traceRecord,
  type Verdict,
  verifyRecord,
  verifyUnder,
} from './record/record-proof.js';
export {
  baseOf,
  type CheckpointEntry,
  entryHash,
  type Generation,
  headHash,
  headName,
  leafIndex,
  readGeneration,
  type TreeHead,
  type TreePlace,
} from './record/tree-heads.js';
