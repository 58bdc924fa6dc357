import { callError, type ToolCall } from '@countersign/contracts';
import {
  type ConfigurationState,
  type PlannedStep,
  partsRequested,
  type RequestedPart,
  type SagaPlan,
  sagaPlanOf,
} from '@countersign/domain';
import { approversOf, type ResolvedRuling } from '@countersign/policy';
import { coverageOf, type PlanCaller, type StepCoverage } from './saga-coverage.js';
import type { TenantRulings } from './tenant-rulings.js';

type Denied = { rule: string; message: string };

const OUTSIDE: Denied = {
  rule: 'saga.plan_outside_saga',
  message: 'only the orchestrator asks for the approval of a saga, for a saga that was started: POST /v1/sagas',
};
const OUTDATED: Denied = {
  rule: 'saga.plan_outdated',
  message: 'the policy changed while the saga started, so its plan says more than an approval would cover: start the saga again',
};

function refused(own: ResolvedRuling, { rule, message }: Denied): ResolvedRuling {
  const reason = callError('POLICY_DENIED', message, { details: { rule } });
  return { ...own, effect: 'deny', tier: 'tier_3_blocked', rule, reason };
}

/**
 * The parts that the plan says an approval would meet, of the rules that ask now; undefined if a rule asks about a step although the plan
 * says that it would be met.
 */
function coveredParts({ steps }: SagaPlan, coverage: (step: PlannedStep) => StepCoverage): ReadonlyMap<string, RequestedPart> | undefined {
  const covered = new Map<string, RequestedPart>();
  for (const step of steps.filter(({ covered_by }) => covered_by.length > 0)) {
    const { parts, left } = coverage(step);
    if (step.covered_by.some((rule) => left === 'all' || left.includes(rule))) return undefined;
    for (const part of parts) if (step.covered_by.includes(part.rule)) covered.set(part.rule, part);
  }
  return covered;
}

/**
 * The ruling on the approval of a whole saga: it requires what the rules of all covered steps require, one part for each rule, besides what
 * the rules about `show_saga_plan` itself require. `is_outdated`: the plan and the rules of this process differ; it may be behind.
 */
export function planRuling(
  rulings: TenantRulings,
  config: ConfigurationState,
  { tenant_id, call, at_ms }: { tenant_id: string; call: ToolCall; at_ms: number },
  own: ResolvedRuling,
): { ruling: ResolvedRuling; is_outdated: boolean } {
  if (own.effect === 'deny' || own.effect === 'defer') return { ruling: own, is_outdated: false };
  const plan = sagaPlanOf(call);
  if (!plan) return { ruling: refused(own, OUTSIDE), is_outdated: false };
  const { principal, authority, case_id } = call;
  const caller: PlanCaller = { tenant_id, principal, authority, case_id, at_ms };
  const covered = coveredParts(plan, (step) => coverageOf(rulings, config, caller, step));
  if (!covered) return { ruling: refused(own, OUTDATED), is_outdated: true };
  if (covered.size === 0) return { ruling: own, is_outdated: false };
  const owned = own.effect === 'require_approval' ? partsRequested(own).filter(({ rule }) => !covered.has(rule)) : [];
  const parts = [...covered.values(), ...owned];
  const [first] = parts as [RequestedPart];
  const asking = { effect: 'require_approval', tier: 'tier_2_approval_required', rule: first.rule } as const;
  return { ruling: { ...own, ...asking, ...approversOf({ parts }) }, is_outdated: false };
}
