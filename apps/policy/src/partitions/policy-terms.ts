import type { AnyEvent, ApprovalVoted } from '@countersign/contracts';
import type { Approval, LinkPeriod, RolesLeft, StandingDelegation } from '@countersign/domain';
import type { ExpiryWheel } from './expiry-wheel.js';

/** Something of a partition that falls due. */
export interface DueApproval {
  lane: string;
  partition: number;
  approval_id: string;
}

/** What all partitions of a policy service share. */
export interface PolicyTerms {
  /** By the log's clock, as far as it is known. */
  now_ms(): number;
  /** Told when a record was read that stands at the head of its partition. */
  fresh(timestamp_ms: number): void;
  bundle_version: string;
  /** How long an allowed call may be started, ms. */
  allow_for_ms: number;
  /** How long a granted call may be started, ms. */
  grant_for_ms: number;
  /** Delegations that let this person vote on the request now. */
  standing(approval: Approval, voter_id: string, now_ms: number): readonly StandingDelegation[];
  /** Who is live when this vote is decided. */
  roles_left(vote: ApprovalVoted, now_ms: number): RolesLeft;
  /** What was recorded of who is one person, of the request's tenant. */
  person_links(approval: Approval): readonly LinkPeriod[];
  writing: { in_flight_max: number; pending_records_max: number };
  wheel: ExpiryWheel<DueApproval>;
  warn(fields: Record<string, unknown>, message: string): void;
  /** Told every event that policy writes (counters, spans). */
  said(event: AnyEvent): void;
  /** The traceparent of an event that follows from a record with this one. */
  traced(event: AnyEvent, traceparent: string | undefined): string | undefined;
}
