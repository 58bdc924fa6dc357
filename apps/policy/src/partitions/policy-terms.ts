import type { AnyEvent } from '@countersign/contracts';
import type { Approval, StandingDelegation } from '@countersign/domain';
import type { ExpiryWheel } from './expiry-wheel.js';

/** Something of a partition that falls due. */
export interface DueApproval {
  lane: string;
  partition: number;
  approval_id: string;
}

/** What all partitions of a policy service share. */
export interface PolicyTerms {
  now_ms(): number;
  bundle_version: string;
  /** How long an allowed call may be started, ms. */
  allow_for_ms: number;
  /** How long a granted call may be started, ms. */
  grant_for_ms: number;
  /** Delegations that let this person vote on the request now. */
  standing(approval: Approval, voter_id: string, now_ms: number): readonly StandingDelegation[];
  writing: { in_flight_max: number; pending_records_max: number };
  wheel: ExpiryWheel<DueApproval>;
  warn(fields: Record<string, unknown>, message: string): void;
  /** Told every event that policy writes (counters, spans). */
  said(event: AnyEvent): void;
  /** The traceparent of an event that follows from a record with this one. */
  traced(event: AnyEvent, traceparent: string | undefined): string | undefined;
}
