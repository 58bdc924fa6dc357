import type { Principal, Reversibility } from '@countersign/contracts';
import type { ApprovalMember } from '../approval/state.js';
import { type Judgement, type RulingDraft, type RulingTerms, ruleOnCall } from './decide.js';
import type { RulingState } from './state.js';

/** The ruling for calls of a version that may no longer run. */
export interface Withdrawal {
  judgement: Judgement;
  reversibility: Reversibility;
  config_offset: number;
}

const POLICY: Principal = { kind: 'service', id: 'policy', roles: [] };

type Waiting = Pick<ApprovalMember, 'meta' | 'call' | 'revision' | 'traceparent'>;

function denied(state: RulingState, { meta, call, revision, traceparent }: Waiting, by: Withdrawal, terms: RulingTerms): RulingDraft[] {
  const source = { topic: 'configuration-changed', offset: by.config_offset };
  return ruleOnCall(state, { meta, call, revision: revision + 1, ...by, key_holder: undefined, cause: meta, source, traceparent }, terms);
}

/**
 * Denies waiting calls (for approval, or deferred) whose tool may no longer run, and closes their open approvals. `judge` returns the
 * ruling for such a call; undefined: it may continue to wait. Granted calls are left to the executor, which judges them again before
 * firing.
 */
export function withdrawWaiting(
  state: RulingState,
  judge: (waiting: Waiting) => Withdrawal | undefined,
  terms: RulingTerms,
): RulingDraft[] {
  const drafts: RulingDraft[] = [];
  for (const approval of state.approvals.values()) {
    if (approval.status !== 'open') continue;
    const { approval_id } = approval;
    // Joined calls first: the requested call closes the approval.
    for (const member of approval.members.toReversed()) {
      const by = judge(member);
      if (!by) continue;
      const { meta, call, revision, traceparent } = member;
      const source = { topic: 'configuration-changed', offset: by.config_offset };
      const body = { approval_id, revision, reason: by.judgement.reason?.message ?? null, by: POLICY, source, call };
      drafts.push(...denied(state, member, by, terms));
      drafts.push({ event_type: 'approval_denied', of: meta, cause: meta, key: call.idempotency_key, traceparent, body });
    }
  }
  for (const deferred of state.limits.deferred.values()) {
    const by = judge(deferred);
    if (by) drafts.push(...denied(state, deferred, by, terms));
  }
  return drafts;
}
