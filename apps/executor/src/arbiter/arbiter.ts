import type { ClaimedKey, ClaimedResources, CompensatedEffect } from '@countersign/contracts';
import type { Execution, ExecutionState } from '@countersign/domain';
import type { EndedResources } from '@countersign/store';
import type { Job } from '../calls/job.js';

/** A row whose owner is fenced, and which has no end yet. */
export interface OrphanRow extends Execution {
  key: string;
  lane: string;
  partition: number;
  source: { topic: 'policy-decided' | 'approval-granted'; offset: number };
  resources: ClaimedResources | null;
}

/** What a claim puts into a row: a running write, a tombstone, or a long read. */
export interface Claim {
  job: Job;
  attempt: number;
  state: Extract<ExecutionState, 'running' | 'released' | 'reading'>;
}

/** The row of a call, and that of the key of its edited inputs where it has one. */
export interface ClaimedRows {
  key: string;
  attempt: number;
  secondary_key: ClaimedKey | null;
}

/** The rows of a call in doubt. */
export interface DoubtfulRows extends ClaimedRows {
  /** What it was to undo; null: nothing. Absent: its record, at `end_offset`, says. */
  compensates?: CompensatedEffect | null;
  end_offset?: number | null;
}

/** An end to fold into its row. Of state `compensated`: its effect was undone, and its row keeps the end that it has. */
export interface FoldedEnd {
  key: string;
  attempt: number;
  call_id: string;
  state: ExecutionState;
  end_offset: number;
  ended_at_ms: number;
  resources: EndedResources;
}

/** How far one input topic of a partition is done, and from where its ends must be read again. */
export interface Progress {
  lane: string;
  partition: number;
  topic: string;
  history_below: number;
  ends_from: number;
}

/** A row as the log tells it, for a database that lost it. */
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
   * Inserts what is free and says which claims got their row; a job learns what it got of its resources, and that it has to wait for
   * them. Nothing where the epoch is fenced or its lease over.
   */
  claim(epoch: number, claims: readonly Claim[]): Promise<ReadonlySet<Job>>;
  /** All rows of the keys, by key, in order of attempt. */
  rowsOf(keys: readonly string[]): Promise<ReadonlyMap<string, Execution[]>>;
  /** The row of a call that is in doubt, and that of its second key. */
  doubtOf(call_id: string): Promise<DoubtfulRows | undefined>;
  /** Ends, approvals that ended without a grant, and progress together: progress never says more than the rows. */
  fold(ends: readonly FoldedEnd[], closed: readonly string[], progress: readonly Progress[]): Promise<void>;
  /** Whether an approval ended without a grant. */
  isClosed(approval_id: string): Promise<boolean>;
  /** Marks leases that ran out as fenced. */
  fenceExpired(own_epoch: number): Promise<void>;
  /** Rows without an end in this partition whose epoch is fenced. */
  orphans(partition: number): Promise<OrphanRow[]>;
  /** Gives rows of dead epochs to this one; those that it got. */
  takeOver(epoch: number, rows: readonly OrphanRow[]): Promise<readonly OrphanRow[]>;
  /** Removes a row that was taken over and of which the log knows nothing. */
  forget(epoch: number, row: OrphanRow): Promise<void>;
  progressOf(partition: number): Promise<Progress[]>;
  /** Puts back rows that the log tells of and the database lacks; existing rows get only their end. */
  refold(rows: readonly RefoldedRow[]): Promise<void>;
  /** Puts back which approvals were used by which call, and which ended without a grant. */
  refoldApprovals(used: readonly { approval_id: string; call_id: string }[], closed: readonly string[]): Promise<void>;
  /** Puts back what only the rulings know: the digest of each call's key. */
  refoldDigests(digests: readonly { key: string; call_id: string; digest8: number }[]): Promise<void>;
}
