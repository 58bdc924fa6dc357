import type { CountedVote, GrantWish, SimilarGrant, ToolCall } from '@countersign/contracts';
import { type Approval, holderOf } from './state.js';
import { type Objection, objectTo } from './voting-right.js';

const NARROWNESS = { case: 0, run: 1, tool: 2 } as const;

/** Why 'approve similar' is not possible like this, or undefined. */
export function grantObjection(approval: Approval, wish: GrantWish): Objection | undefined {
  const { grant_max_ms } = approval.requirement;
  const { call } = holderOf(approval);
  if (wish.for_ms <= 0 || wish.for_ms > grant_max_ms)
    return objectTo(
      'bad_grant',
      grant_max_ms === 0 ? 'this rule lets nobody approve similar calls' : `similar calls are approved for at most ${grant_max_ms} ms`,
    );
  if (wish.scope === 'case' && call.case_id === null) return objectTo('bad_grant', 'the call has no case that it could be limited to');
  if (wish.scope === 'run' && call.run_id === null) return objectTo('bad_grant', 'the call has no run that it could be limited to');
  return undefined;
}

/** What everybody whose approval counts wants approved from now on: the narrowest scope, the shortest time. Null where one does not. */
export function similarOf(approval: Approval, votes: readonly CountedVote[], from_ms: number): SimilarGrant | null {
  const wishes = votes.map((vote) => vote.grant);
  if (wishes.length === 0 || wishes.some((wish) => wish === null)) return null;
  const narrowest = (wishes as GrantWish[]).reduce((one, other) => (NARROWNESS[other.scope] < NARROWNESS[one.scope] ? other : one));
  const for_ms = Math.min(...(wishes as GrantWish[]).map((wish) => wish.for_ms));
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
    granted_by: votes.map((vote) => vote.voter_id),
    from_ms,
    expires_at_ms: from_ms + for_ms,
    rule: approval.rule,
    mapping_version: call.mapped?.mapping_version ?? null,
  };
}

/** Whether a call is like the one that was approved: same tool and contract, same requester, and inside the scope. */
export function covers(grant: SimilarGrant, call: ToolCall, rule: string, now_ms: number): boolean {
  if (now_ms < grant.from_ms || now_ms >= grant.expires_at_ms || grant.rule !== rule) return false;
  if ((grant.mapping_version ?? null) !== (call.mapped?.mapping_version ?? null)) return false;
  if (grant.tool !== call.tool || grant.contract_digest !== call.contract_digest || grant.principal_id !== call.principal.id) return false;
  switch (grant.scope) {
    case 'case':
      return grant.case_id !== null && grant.case_id === call.case_id;
    case 'run':
      return grant.run_id !== null && grant.run_id === call.run_id;
    case 'tool':
      return true;
  }
}
