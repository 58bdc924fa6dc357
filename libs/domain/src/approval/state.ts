import {
  type ApprovalRequirement,
  type CountedVote,
  canonicalText,
  type Meta,
  sha256Hex,
  type Tier,
  type ToolCall,
} from '@countersign/contracts';
import { type Asking, requirementOf } from './requirement.js';

/** A call that waits for an approval, or was granted one. */
export interface ApprovalMember {
  /** Meta of its ruling. */
  meta: Meta;
  decision_id: string;
  revision: number;
  call: ToolCall;
  traceparent: string | undefined;
}

/**
 * One question to people and the calls that wait for its answer: the first member is the call that was asked for, the
 * others joined it by their idempotency key. Denied, expired and cancelled ones are not kept.
 */
export interface Approval {
  approval_id: string;
  status: 'open' | 'granted';
  ruling_digest: string;
  tier: Tier;
  /** Whole, as asked; the next three are those of the group that it is with. */
  requirement: ApprovalRequirement;
  approver_roles: readonly string[];
  people: readonly string[];
  quorum: number;
  /** Principal ids that cannot approve it, besides the requesters of its members. */
  barred: readonly string[];
  /** By the log's append time. */
  expires_at_ms: number;
  members: readonly ApprovalMember[];
  /** Approvals that count, one a voter, oldest first. */
  votes: readonly CountedVote[];
  /** 0 while open. */
  execute_before_ms: number;
}

export function holderOf(approval: Approval): ApprovalMember {
  return approval.members[0] as ApprovalMember;
}

/** The id of the question that a revision of a call asks: the same whoever decides it. Its first part names the partition. */
export function approvalId(call_id: string, revision: number): string {
  return `${call_id}.${revision}`;
}

/** What a grant binds: the inputs, the tool contract and the ruling. */
export function rulingDigest(
  call: Pick<ToolCall, 'inputs_digest' | 'contract_digest'>,
  ruling: Asking & { tier: Tier; rule: string },
): string {
  const { tier, rule } = ruling;
  const { inputs_digest, contract_digest } = call;
  return sha256Hex(canonicalText({ inputs_digest, contract_digest, tier, rule, requirement: requirementOf(ruling) }));
}
