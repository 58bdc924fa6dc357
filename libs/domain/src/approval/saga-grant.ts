import type { CountedVote, SimilarGrant, ToolCall } from '@countersign/contracts';
import { unansweredPart } from './answered.js';
import type { RequestedPart } from './part.js';
import type { PersonLink } from './person-links.js';
import { coveredStep, sagaPlanOf, shownDigest } from './saga-plan.js';
import { type Approval, grantedParts, holderOf } from './state.js';

/** Longest time for which one approval of a whole saga meets a part; 0: it never does. */
export const sagaMaxOf = ({ requirement }: Pick<RequestedPart, 'requirement'>): number => requirement.saga_max_ms ?? 0;

/** The grant for the steps of a saga whose plan was approved; null if the request is about no plan, or the plan covers no step. */
export function sagaGrantOf(approval: Approval, votes: readonly CountedVote[], from_ms: number): SimilarGrant | null {
  const { call } = holderOf(approval);
  const plan = sagaPlanOf(call);
  if (!plan || !call.saga) return null;
  const parts = approval.parts.filter((part) => sagaMaxOf(part) > 0);
  const names = new Set(parts.map(({ rule }) => rule));
  const steps = plan.steps
    .map((step) =>
      coveredStep(
        step,
        step.covered_by.filter((rule) => names.has(rule)),
      ),
    )
    .filter(({ rules }) => rules.length > 0);
  if (steps.length === 0) return null;
  const { saga_id } = call.saga;
  const granted = grantedParts(approval, votes);
  return {
    grant_id: `${approval.approval_id}.saga`,
    approval_id: approval.approval_id,
    tool: call.tool,
    version: call.version,
    contract_digest: call.contract_digest,
    scope: 'run',
    case_id: call.case_id,
    run_id: call.run_id,
    principal_id: call.principal.id,
    granted_by: [...new Set(granted.flatMap(({ approved_by }) => approved_by))],
    from_ms,
    expires_at_ms: from_ms + Math.min(...parts.map(sagaMaxOf)),
    rule: approval.rule,
    mapping_version: null,
    rules: [...names],
    inputs: null,
    uses: 1,
    saga: { saga_id, definition_digest: plan.definition_digest, steps, parts: granted },
  };
}

/** Inputs that a mapping changes or that are encrypted were not shown; `ask_all` asks about every call. */
const isComparable = ({ sealed, mapped, compensates, context }: ToolCall): boolean =>
  !sealed && !mapped && !compensates && (context.safety_mode ?? 'normal') !== 'ask_all';

/** The step of an approved plan that a call makes. */
function stepOf({ saga: coverage }: SimilarGrant, { saga: ref }: Pick<ToolCall, 'saga'>) {
  return ref ? coverage?.steps.find(({ step_id, level }) => step_id === ref.step_id && level === ref.level) : undefined;
}

/** The inputs of a step's call that its approvers did not see. */
export const openInputsOf = (grant: SimilarGrant, call: Pick<ToolCall, 'saga'>): readonly string[] =>
  stepOf(grant, call)?.open_inputs ?? [];

/**
 * The parts of a step's approval that the approval of its saga meets, as the rules are now. Empty unless the call is the step that was
 * shown: same saga, definition, starter, tool contract and shown inputs. A part is met only by the approval of the same rule, within the
 * time that the rule gives now, and if its approvers would be enough for the rule now.
 */
export function partsBySaga(
  grant: SimilarGrant,
  call: ToolCall,
  asking: readonly RequestedPart[],
  { now_ms, links }: { now_ms: number; links: readonly PersonLink[] },
): readonly RequestedPart[] {
  const { saga: coverage, from_ms, expires_at_ms } = grant;
  const { saga: ref } = call;
  if (!coverage || !ref || !isComparable(call) || grant.principal_id !== call.principal.id) return [];
  if (coverage.saga_id !== ref.saga_id || coverage.definition_digest !== ref.definition_digest) return [];
  if (now_ms < from_ms || now_ms >= expires_at_ms) return [];
  const step = stepOf(grant, call);
  if (step?.tool !== call.tool || step.version !== call.version || step.contract_digest !== call.contract_digest) return [];
  if (shownDigest(JSON.parse(call.inputs_json) as Record<string, unknown>, step.open_inputs) !== step.shown_digest) return [];
  let met = asking.filter((part) => {
    const given = coverage.parts.filter(({ rule }) => rule === part.rule);
    return step.rules.includes(part.rule) && now_ms < from_ms + sagaMaxOf(part) && unansweredPart([part], given, links) === undefined;
  });
  // People who meet one part may be kept from meeting another.
  for (let open = unansweredPart(met, coverage.parts, links); open; open = unansweredPart(met, coverage.parts, links)) {
    const unmet = open;
    met = met.filter((part) => part !== unmet);
  }
  return met;
}
