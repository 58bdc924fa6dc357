import {
  type ApprovalRequirement,
  type ClaimedKey,
  type CountedVote,
  canonicalText,
  type GrantedTerms,
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
  /** What its rules were told of earlier calls; absent: none asked. */
  history_json?: string;
}

/** Somebody gave the own vote on this request to somebody else. */
export interface PassedVote {
  from: string;
  to: string;
  vote_id: string;
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
  rule: string;
  /** Whole, as asked; the next four are those of the group that it is with. */
  requirement: ApprovalRequirement;
  /** 0: the first group; n: the n-th of `escalate_to`. */
  level: number;
  /** Of edited inputs: groups that had the request before the one that edited it; absent: none. */
  level_before?: number;
  approver_roles: readonly string[];
  people: readonly string[];
  quorum: number;
  /** Principal ids that cannot approve it, besides the requesters of its members. */
  barred: readonly string[];
  requested_at_ms: number;
  /** By the log's append time. */
  expires_at_ms: number;
  /** The longest of `reminders_ms` that was sent. */
  reminded_ms: number;
  sla_missed: boolean;
  members: readonly ApprovalMember[];
  /** Approvals that count, one a voter, oldest first. */
  votes: readonly CountedVote[];
  passed: readonly PassedVote[];
  /** 0 while open. */
  execute_before_ms: number;
  /** One of its calls has started: no vote can be taken back any more. */
  fired: boolean;
  /** Of edited inputs: their own key. */
  also: ClaimedKey | null;
}

export function holderOf(approval: Approval): ApprovalMember {
  return approval.members[0] as ApprovalMember;
}

/** Who is asked by now, as a grant names them. */
export function termsOf({ approver_roles, people, requirement, level, level_before = 0 }: Approval): GrantedTerms {
  return { approver_roles: [...approver_roles], people: [...people], four_eyes: requirement.four_eyes, level: level_before + level };
}

/** The id of the question that a revision of a call asks: the same whoever decides it. Its first part names the partition. */
export function approvalId(call_id: string, revision: number): string {
  return `${call_id}.${revision}`;
}

/** A question of which only its ruling is known yet; approval_requested follows in the same append and brings the rest. */
export function unasked(approval_id: string, ruling: { tier: Tier; rule: string }, member: ApprovalMember): Approval {
  return {
    approval_id,
    status: 'open',
    ruling_digest: '',
    tier: ruling.tier,
    rule: ruling.rule,
    requirement: requirementOf({ approver_roles: [], quorum: 1, expires_after_ms: 0 }),
    level: 0,
    approver_roles: [],
    people: [],
    quorum: 1,
    barred: [],
    requested_at_ms: 0,
    expires_at_ms: 0,
    reminded_ms: 0,
    sla_missed: false,
    members: [member],
    votes: [],
    passed: [],
    execute_before_ms: 0,
    fired: false,
    also: null,
  };
}

/** What a grant binds: both forms of the inputs, the tool contract and the ruling. */
export function rulingDigest(
  call: Pick<ToolCall, 'inputs_digest' | 'contract_digest' | 'mapped'>,
  ruling: Asking & { tier: Tier; rule: string },
): string {
  const { tier, rule } = ruling;
  const { inputs_digest, contract_digest, mapped } = call;
  // Absent without a mapping, so that digests from before mappings were judged stay as they are.
  const both = mapped ? { mapped_digest: mapped.inputs_digest, mapping_version: mapped.mapping_version } : {};
  return sha256Hex(canonicalText({ inputs_digest, ...both, contract_digest, tier, rule, requirement: requirementOf(ruling) }));
}
