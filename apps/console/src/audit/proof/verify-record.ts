import { type ProofCrypto, type RecordProof, treeHashing } from '@countersign/verifier';
import { type Asked, askedRecord, notReached } from './asked.js';
import { cosignaturesOf, type OpenedCheckpoint, openedWith, witnessStep } from './checkpoint-steps.js';
import { chooseTrust } from './choose-trust.js';
import { concluded, isRefused, refused } from './conclude.js';
import { type Continuity, continuityStep } from './continuity.js';
import { recordSteps, type ShownRecord } from './record-steps.js';
import { type Step, skipped, type Verification } from './step.js';

/** The answer of `GET /v1/audit/proof`. */
export interface ProvenRecord {
  record: ShownRecord;
  proof: RecordProof;
  vkey: string;
}

export interface RecordTerms {
  crypto: ProofCrypto;
  pinned: readonly string[];
  asked: Extract<Asked, { kind: 'event' | 'record' }>;
  /** How the log of this key relates to what this browser saw of it; undefined while that is not known. */
  continuity: Continuity | undefined;
}

/** Verifies a record with its proof against the keys of the auditor, step by step. */
export function verifyRecord({ record, proof, vkey }: ProvenRecord, { crypto, pinned, asked, continuity }: RecordTerms): Verification {
  const chosen = chooseTrust(crypto, pinned, vkey, 'server');
  const since = continuity ? [continuityStep(continuity)] : [];
  if (!('trust' in chosen)) return refused([chosen, skipped('checkpoint', 'Signature of the checkpoint'), ...since]);
  const { trust, is_pinned } = chosen;
  const { opened, step: signature } = openedWith(String(proof.checkpoint), trust);
  if (!opened) return refused([chosen.step, signature, skipped('record', 'The record'), ...since]);
  const cosignatures = cosignaturesOf(opened, trust);
  const before = [chosen.step, signature, witnessStep(cosignatures, false), ...stepsOf(crypto, record, proof, opened)];
  const steps = [...before, isRefused(before) ? notReached() : askedRecord(record, asked), ...since];
  if (isRefused(steps)) return refused(steps);
  return concluded(steps, {
    what: 'The record',
    log: trust.log.name,
    is_pinned,
    checkpoint_size: opened.size,
    checkpoint_time_ms: proof.entry.time_ms,
    cosigned: cosignatures.found,
    continuity,
    also: [],
    left_open: ['What its bytes say: this proves the bytes. The evidence of its call or case also decodes and compares them.'],
  });
}

const stepsOf = (crypto: ProofCrypto, record: ShownRecord, proof: RecordProof, opened: OpenedCheckpoint): Step[] =>
  recordSteps(treeHashing(crypto.sha256), record, proof, opened);
