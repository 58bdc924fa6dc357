import type { BundledStep } from '../case/bundled-case.js';
import type { RecordProof } from '../record/record-proof.js';

export const BUNDLE_FORMAT = 'countersign-bundle/v1';

/** A log record in a bundle: its bytes, its decoded event and its position. */
export interface BundledRecord {
  topic: string;
  partition: number;
  offset: number;
  timestamp_ms: number;
  key: string | null;
  headers: Record<string, string>;
  /** Base64: Avro in the Confluent wire format. */
  value: string;
  /** The decoded `value`. A verifier decodes the value itself and compares. */
  event_type: string;
  event: unknown;
  /** The paths of RecordProof. The checkpoint is stored once in the bundle. */
  proof: Omit<RecordProof, 'checkpoint'>;
}

/** The summary of a call's records. A verifier folds them itself and compares. */
export interface BundledCall {
  call_id: string;
  status: string;
  tool: string | null;
  /** The rulings in order, with rule and bundle version. */
  rulings: { decision_id: string; revision: number; effect: string; rule: string; bundle_version: string }[];
  /** Who viewed the approval request, and when (the log's time). */
  viewed: { by: string; at_ms: number }[];
  /** The votes with voter and time (the log's time). */
  votes: { by: string; vote: string; at_ms: number }[];
}

/** The newest leaf of the case in the tree of cases, and the entries whose records it covers. */
export interface BundledCase {
  /** The record of the leaf, with its proof. */
  leaf: BundledRecord;
  steps: BundledStep[];
}

/** A token of a time-stamping authority over the checkpoint of a bundle. */
export interface BundledTimestamp {
  /** RFC 3161 token in DER, base64. */
  token: string;
}

/** Everything that a third party needs to verify offline the course of a call, or of the calls of a case. */
export interface Bundle {
  format: typeof BUNDLE_FORMAT;
  tenant_id: string;
  subject: { call_id: string } | { case_id: string };
  made_at_ms: number;
  calls: BundledCall[];
  /** Records of the calls, and the configuration records of the tenant that were in force, oldest first. */
  records: BundledRecord[];
  /** Schema id → text of the Avro schema of values with that id. */
  schemas: Record<string, string>;
  checkpoint: string;
  /** Absent without a leaf: in bundles of earlier releases, and of calls without a case. */
  case?: BundledCase;
  /** A timestamp of the checkpoint. A verifier without the certificate of its authority does not read it. */
  timestamp?: BundledTimestamp;
  /** The signing key of the checkpoint, as stated by the maker. A verifier uses the key that it trusts instead. */
  vkey: string;
}
