import type { ClaimedKey, ClaimedResources, CompensatedEffect } from '@countersign/contracts';
import type { Execution, ExecutionState } from '@countersign/domain';
import type { EndedResources } from '@countersign/store';
import type { Job } from '../calls/job.js';

/** A row without an end whose owner is fenced. */
export interface OrphanRow extends Execution {
  key: string;
  lane: string;
  partition: number;
  source: { topic: 'policy-decided' | 'approval-granted'; offset: number };
  resources: ClaimedResources | null;
}

/** What a claim writes into a row: a running write, a tombstone, or a long read. */
export interface Claim {
  job: Job;
  attempt: number;
  state: Extract<ExecutionState, 'running' | 'released' | 'reading'>;
}

/** The row of a call, and the row of the key of its edited inputs, if any. */
export interface ClaimedRows {
  key: string;
  attempt: number;
  secondary_key: ClaimedKey | null;
}

/** The rows of a call in doubt. */
export interface DoubtfulRows extends ClaimedRows {
  /** The effect that it was to undo; null: none. If absent, its record at `end_offset` has it. */
  compensates?: CompensatedEffect | null;
  end_offset?: number | null;
}

/** An end to fold into its row. With state `compensated` its effect was undone, and its row keeps its end. */
export interface FoldedEnd {
  key: string;
  attempt: number;
  call_id: string;
  state: ExecutionState;
  end_offset: number;
  ended_at_ms: number;
  resources: EndedResources;
}

/** The progress in one input topic of a partition, and the offset from which its ends must be read again. */
export interface Progress {
  lane: string;
  partition: number;
  topic: string;
  history_below: number;
  ends_from: number;
}

/** A row restored from the log, for a database that lost it. */
export interface RefoldedRow {
  key: string;
  attempt: number;
  call_id: string;
  tenant_id: string;
  lane: string;
  partition: number;
  epoch: number;
  state: ExecutionState;
  source: { topic: string; offset: number };
  end_offset: number | null;
  ended_at_ms: number | null;
  resources: ClaimedResources | null;
}

/** `tool_executions` and its related tables: only the process that inserts the row first may run the effect. */
export interface Arbiter {
  /**
   * Inserts free rows and returns the jobs that won their row. Each job learns its resources, and whether it must wait for them. Does
   * nothing if the epoch is fenced or its lease has expired.
   */
  claim(epoch: number, claims: readonly Claim[]): Promise<ReadonlySet<Job>>;
  /** All rows of the keys, by key, ordered by attempt. */
  rowsOf(keys: readonly string[]): Promise<ReadonlyMap<string, Execution[]>>;
  /** The row of a call in doubt, and the row of its second key. */
  doubtOf(call_id: string): Promise<DoubtfulRows | undefined>;
  /** Writes ends, approvals that closed without a grant, and progress in one step: progress never exceeds the rows. */
  fold(ends: readonly FoldedEnd[], closed: readonly string[], progress: readonly Progress[]): Promise<void>;
  /** True if an approval closed without a grant. */
  isClosed(approval_id: string): Promise<boolean>;
  /** Fences expired leases. */
  fenceExpired(own_epoch: number): Promise<void>;
  /** Rows without an end in this partition whose epoch is fenced. */
  orphans(partition: number): Promise<OrphanRow[]>;
  /** Assigns rows of dead epochs to this one. @returns the rows that it got. */
  takeOver(epoch: number, rows: readonly OrphanRow[]): Promise<readonly OrphanRow[]>;
  /** Removes a row that was taken over but that the log does not know. */
  forget(epoch: number, row: OrphanRow): Promise<void>;
  progressOf(partition: number): Promise<Progress[]>;
  /** Restores rows that the log has and the database lacks; existing rows get only their end. */
  refold(rows: readonly RefoldedRow[]): Promise<void>;
  /** Restores which call used which approval, and which approvals closed without a grant. */
  refoldApprovals(used: readonly { approval_id: string; call_id: string }[], closed: readonly string[]): Promise<void>;
  /** Restores the digest of each call's key, which only the decisions contain. */
  refoldDigests(digests: readonly { key: string; call_id: string; digest8: number }[]): Promise<void>;
}
