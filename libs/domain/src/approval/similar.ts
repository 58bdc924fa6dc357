import type { CountedVote, GrantableInputs, GrantWish, SimilarGrant, ToolCall } from '@countersign/contracts';
import { isWithin } from './grantable.js';
import { type ApprovalPart, countsIn } from './part.js';
import { type Approval, holderOf } from './state.js';
import { type Objection, objectTo } from './voting-right.js';

const NARROWNESS = { case: 0, run: 1, tool: 2 } as const;

/** Why 'approve similar' is not possible on these terms for these parts; undefined if it is. */
export function grantObjection(approval: Approval, parts: readonly ApprovalPart[], wish: GrantWish): Objection | undefined {
  const grant_max_ms = Math.min(...parts.map(({ requirement }) => requirement.grant_max_ms));
  const { call } = holderOf(approval);
  if (!approval.grantable)
    return objectTo(
      'bad_grant',
      'similar calls cannot be approved: the inputs are sealed, or an amount among them is not a positive number',
    );
  if (wish.uses < 1) return objectTo('bad_grant', 'a grant needs at least one use');
  if (wish.for_ms <= 0 || wish.for_ms > grant_max_ms)
    return objectTo(
      'bad_grant',
      grant_max_ms === 0
        ? 'this rule does not allow approvals of similar calls'
        : `similar calls are approved for at most ${grant_max_ms} ms`,
    );
  if (wish.scope === 'case' && call.case_id === null) return objectTo('bad_grant', 'the call has no case to limit the grant to');
  if (wish.scope === 'run' && call.run_id === null) return objectTo('bad_grant', 'the call has no run to limit the grant to');
  return undefined;
}

/** The parts for which every counted approver wants to approve similar calls. */
function wishedParts({ parts }: Approval, votes: readonly CountedVote[]): ApprovalPart[] {
  return parts.filter(({ rule }) => {
    const here = votes.filter((vote) => countsIn(vote, rule));
    return here.length > 0 && here.every(({ grant }) => grant !== null);
  });
}

/**
 * The grant for similar calls that all counted approvers of a part agree on: the narrowest scope, the shortest time, the fewest uses. Null
 * if no part has one.
 */
export function similarOf(approval: Approval, votes: readonly CountedVote[], from_ms: number): SimilarGrant | null {
  const parts = wishedParts(approval, votes);
  const of = votes.filter((vote) => parts.some(({ rule }) => countsIn(vote, rule)));
  const wishes = of.flatMap(({ grant }) => grant ?? []);
  if (wishes.length === 0 || !approval.grantable) return null;
  const narrowest = wishes.reduce((one, other) => (NARROWNESS[other.scope] < NARROWNESS[one.scope] ? other : one));
  const for_ms = Math.min(...wishes.map((wish) => wish.for_ms));
  const { call } = holderOf(approval);
  return {
    grant_id: `${approval.approval_id}.similar`,
    approval_id: approval.approval_id,
    tool: call.tool,
    version: call.version,
    contract_digest: call.contract_digest,
    scope: narrowest.scope,
    case_id: call.case_id,
    run_id: call.run_id,
    principal_id: call.principal.id,
    granted_by: [...new Set(of.map((vote) => vote.voter_id))],
    from_ms,
    expires_at_ms: from_ms + for_ms,
    rule: approval.rule,
    mapping_version: call.mapped?.mapping_version ?? null,
    rules: parts.map(({ rule }) => rule),
    inputs: approval.grantable,
    uses: Math.min(...wishes.map(({ uses }) => uses)),
  };
}

/** A call as it is compared with a grant. */
export interface GrantedCall {
  call: ToolCall;
  /** The call's inputs, split by the marks of its contract; null: no grant covers the call. */
  inputs: GrantableInputs | null;
  now_ms: number;
}

/** True if a grant satisfies a part of a call: same tool, contract, requester and rule, within its scope, time and inputs. */
export function covers(grant: SimilarGrant, { call, inputs, now_ms }: GrantedCall, rule: string): boolean {
  if (now_ms < grant.from_ms || now_ms >= grant.expires_at_ms || !grant.rules.includes(rule)) return false;
  if ((grant.mapping_version ?? null) !== (call.mapped?.mapping_version ?? null)) return false;
  if (grant.tool !== call.tool || grant.contract_digest !== call.contract_digest || grant.principal_id !== call.principal.id) return false;
  if (grant.inputs === null || !isWithin(grant.inputs, inputs)) return false;
  switch (grant.scope) {
    case 'case':
      return grant.case_id !== null && grant.case_id === call.case_id;
    case 'run':
      return grant.run_id !== null && grant.run_id === call.run_id;
    case 'tool':
      return true;
  }
}
