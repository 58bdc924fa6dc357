import {
  type ClaimedKey,
  type CountedVote,
  canonicalText,
  type GrantableInputs,
  type GrantedPart,
  type GrantedTerms,
  type Meta,
  type PartStanding,
  sha256Hex,
  type Tier,
  type ToolCall,
} from '@countersign/contracts';
import {
  type ApprovalPart,
  countsIn,
  groupOf,
  isDistinct,
  isMet,
  levelOf,
  type PartsAsking,
  partsRequested,
  standingOfParts,
} from './part.js';
import { qualifiedName } from './subject.js';

/** A call that waits for an approval or was granted one. */
export interface ApprovalMember {
  /** Meta of its ruling. */
  meta: Meta;
  decision_id: string;
  revision: number;
  call: ToolCall;
  traceparent: string | undefined;
  /** The call history that its rules used; absent: no rule used it. */
  history_json?: string;
}

/** A vote on this request that its voter delegated to another person. */
export interface PassedVote {
  from: string;
  to: string;
  vote_id: string;
  /** The parts that the delegation covers. Empty in records from before parts existed: the only part. */
  rules: readonly string[];
}

/**
 * One approval request and the calls that wait for it. The first member is the requested call; the others joined it by their idempotency
 * key. Denied, expired and cancelled requests are not kept.
 */
export interface Approval {
  approval_id: string;
  status: 'open' | 'granted';
  ruling_digest: string;
  tier: Tier;
  rule: string;
  /** One part per rule that requires approval; empty until approval_requested is folded. */
  parts: readonly ApprovalPart[];
  /** One person may not approve two parts. */
  distinct: boolean;
  /** Offset in configuration-changed at the time of the request; absent: unknown. */
  config_offset?: number;
  /** Principal ids that cannot approve a part with four eyes, in addition to the requesters of its members. */
  barred: readonly string[];
  members: readonly ApprovalMember[];
  /** Approvals that count, oldest first. */
  votes: readonly CountedVote[];
  passed: readonly PassedVote[];
  /** 0 while open. */
  execute_before_ms: number;
  /** One of its calls has started: votes can no longer be revoked. */
  fired: boolean;
  /** The idempotency key of edited inputs. */
  also: ClaimedKey | null;
  /** The inputs that 'approve similar' would cover; null: none. */
  grantable: GrantableInputs | null;
}

export function holderOf(approval: Approval): ApprovalMember {
  return approval.members[0] as ApprovalMember;
}

/**
 * The calls of an approval that ends, in the order of their records: joined calls first. The record of the requested call closes the approval,
 * and a crash may cut off what comes after it.
 */
export function membersToEnd({ members }: Pick<Approval, 'members'>): ApprovalMember[] {
  return members.toReversed();
}

/** The given and required approvals of each part. */
export function standingsOf({ parts, votes, distinct }: Pick<Approval, 'parts' | 'votes' | 'distinct'>): PartStanding[] {
  return standingOfParts(parts, votes, distinct);
}

/** Parts that need more approvals, in their order. */
export function openParts(approval: Pick<Approval, 'parts' | 'votes' | 'distinct'>): ApprovalPart[] {
  const standings = standingsOf(approval);
  return approval.parts.filter((_, at) => !isMet(standings[at] as PartStanding));
}

/** When the first unmet part expires; a met part does not expire. */
export function expiresAt(approval: Pick<Approval, 'parts' | 'votes' | 'distinct'>): number {
  const open = openParts(approval);
  return Math.min(...(open.length > 0 ? open : approval.parts).map(({ expires_at_ms }) => expires_at_ms));
}

/** The given and required approvals of a request, over all parts. */
export function tallied(standings: readonly PartStanding[]): { approvals: number; quorum: number } {
  const sum = (of: (one: PartStanding) => number) => standings.reduce((total, one) => total + of(one), 0);
  return {
    approvals: sum(({ approvals, quorum }) => (standings.length === 1 ? approvals : Math.min(approvals, quorum))),
    quorum: sum(({ quorum }) => quorum),
  };
}

/** The terms of the current group, as recorded in a grant. */
export function termsOf(part: ApprovalPart): GrantedTerms {
  const { approver_roles, people } = groupOf(part);
  return { approver_roles: [...approver_roles], people: [...people], four_eyes: part.requirement.four_eyes, level: levelOf(part) };
}

/** The parts with their approvers, as recorded in a grant. `votes`: those that count. */
export function grantedParts({ parts }: Pick<Approval, 'parts'>, votes: readonly CountedVote[]): GrantedPart[] {
  return parts.map((part) => ({
    rule: part.rule,
    asked: termsOf(part),
    approved_by: [
      ...new Set(
        votes
          .filter((vote) => countsIn(vote, part.rule))
          .map(({ voter_issuer, voter_id }) => qualifiedName({ issuer: voter_issuer, id: voter_id })),
      ),
    ],
  }));
}

/** The id of the approval for a revision of a call: the same in every process. Its call id determines the partition. */
export function approvalId(call_id: string, revision: number): string {
  return `${call_id}.${revision}`;
}

/** An approval of which only the ruling is known. approval_requested follows in the same append with the rest. */
export function unrequestedApproval(
  approval_id: string,
  ruling: { tier: Tier; rule: string; config_offset: number },
  member: ApprovalMember,
): Approval {
  return {
    approval_id,
    status: 'open',
    ruling_digest: '',
    tier: ruling.tier,
    rule: ruling.rule,
    parts: [],
    distinct: false,
    config_offset: ruling.config_offset,
    barred: [],
    members: [member],
    votes: [],
    passed: [],
    execute_before_ms: 0,
    fired: false,
    also: null,
    grantable: null,
  };
}

/** The digest that a grant is bound to: both forms of the inputs, the tool contract and the ruling. */
export function rulingDigest(
  call: Pick<ToolCall, 'inputs_digest' | 'contract_digest' | 'mapped'>,
  ruling: PartsAsking & { tier: Tier },
): string {
  const { tier, rule } = ruling;
  const { inputs_digest, contract_digest, mapped } = call;
  // Absent without a mapping, so that earlier digests stay unchanged.
  const both = mapped ? { mapped_digest: mapped.inputs_digest, mapping_version: mapped.mapping_version } : {};
  const parts = partsRequested(ruling);
  const [only, ...others] = parts;
  const requirements = others.length === 0 ? { requirement: only?.requirement } : { parts, distinct: isDistinct(parts) };
  return sha256Hex(canonicalText({ inputs_digest, ...both, contract_digest, tier, rule, ...requirements }));
}
