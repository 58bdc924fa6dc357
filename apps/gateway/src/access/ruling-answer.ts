import { Refusal } from '@countersign/calls';
import { partsRequested } from '@countersign/domain';
import type { DryRuling } from '../policies/dry-rulings.js';
import type { AccessRuling } from './access.schemas.js';

/** Response for the decision on a hypothetical call. */
export function rulingAnswer({ judgement, inputs_digest, mapped }: DryRuling): AccessRuling {
  const { effect, tier, approval_mode_effective, rule, bundle_version, reason, explanation, defer } = judgement;
  return {
    effect,
    tier,
    approval_mode_effective,
    rule,
    bundle_version: bundle_version ?? null,
    reason,
    approval: effect === 'require_approval' ? approvalOf(judgement) : null,
    defer: defer ?? null,
    explanation: explanation ?? null,
    inputs_digest,
    mapped: mappedAnswer(mapped),
  };
}

function approvalOf(judgement: DryRuling['judgement']): NonNullable<AccessRuling['approval']> {
  const { approver_roles, quorum } = judgement;
  const parts = partsRequested(judgement).map(({ rule, requirement }) => ({
    rule,
    approver_roles: requirement.approver_roles,
    people: requirement.people,
    quorum: requirement.quorum,
  }));
  return { approver_roles: [...approver_roles], quorum, parts };
}

/** The inputs that would run. The mapping may add tenant data; a caller also sees these inputs in the envelope of a call. */
function mappedAnswer(mapped: DryRuling['mapped']): AccessRuling['mapped'] {
  if (!mapped) return null;
  const { inputs_json, inputs_digest, mapping_version, warnings } = mapped;
  return { mapping_version, inputs_digest, inputs: JSON.parse(inputs_json), warnings };
}

/** Why the call would be rejected regardless of policy. */
export function inputsRefusal({ issues }: DryRuling): Refusal | undefined {
  const [first] = issues;
  if (!first) return undefined;
  const layer = issues.some(({ code }) => code === 'mapping') ? 'mapping' : 'input';
  return new Refusal('invalid-inputs', `${first.path || 'the inputs'}: ${first.message}`, { layer, issues });
}
