import type { RecordProof } from '@countersign/proofs';

export const BUNDLE_FORMAT = 'countersign-bundle/v1';

/** A record of the log as it goes into a bundle: its bytes, what they say, and where they stand. */
export interface BundledRecord {
  topic: string;
  partition: number;
  offset: number;
  timestamp_ms: number;
  key: string | null;
  headers: Record<string, string>;
  /** Base64: Avro in the Confluent wire format. */
  value: string;
  /** What `value` says. A verifier decodes the value itself and compares. */
  event_type: string;
  event: unknown;
  /** The paths of RecordProof; the checkpoint is the bundle's, once for all. */
  proof: Omit<RecordProof, 'checkpoint'>;
}

/** What the records add up to for one call. A verifier folds them itself and compares. */
export interface BundledCall {
  call_id: string;
  status: string;
  tool: string | null;
  /** Who decided: rulings by rule and bundle version, in order. */
  rulings: { decision_id: string; revision: number; effect: string; rule: string; bundle_version: string }[];
  /** Who was shown the request for approval, and when (the log's time). */
  viewed: { by: string; at_ms: number }[];
  /** Who voted what, when (the log's time). */
  votes: { by: string; vote: string; at_ms: number }[];
}

/** Everything that a third party needs to check the course of a call, or of the calls of a case, offline. */
export interface Bundle {
  format: typeof BUNDLE_FORMAT;
  tenant_id: string;
  subject: { call_id: string } | { case_id: string };
  made_at_ms: number;
  calls: BundledCall[];
  /** Records of the calls, and the records of the tenant's configuration that were in force, oldest first. */
  records: BundledRecord[];
  /** Schema id → the text of the Avro schema by which values of that id are read. */
  schemas: Record<string, string>;
  checkpoint: string;
  /** Whose signature the checkpoint carries, as the maker says. A verifier takes the key that it trusts, not this one. */
  vkey: string;
}
