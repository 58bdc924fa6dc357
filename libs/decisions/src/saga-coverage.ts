import { canonicalText, NO_CONTEXT, type ToolCall } from '@countersign/contracts';
import {
  type ConfigurationState,
  catalogued,
  mappingAt,
  type PlannedStep,
  partsRequested,
  type RequestedPart,
  sagaMaxOf,
} from '@countersign/domain';
import { OpenInputs } from './open-inputs.js';
import type { TenantRulings } from './tenant-rulings.js';

/** Who starts the saga, and the time by which its mappings are looked up. */
export type PlanCaller = Pick<ToolCall, 'principal' | 'authority' | 'case_id'> & { tenant_id: string; at_ms: number };

/** What one approval of the saga can do for a planned step. */
export interface StepCoverage {
  /** The parts of its approval that the approval of the saga meets. */
  parts: readonly RequestedPart[];
  /** The rules whose parts it does not meet; `all`: of every rule. */
  left: readonly string[] | 'all';
  /** Why the step asks by itself; null: it does not. */
  asks_because: string | null;
}

const byItself = (asks_because: string): StepCoverage => ({ parts: [], left: 'all', asks_because });

function uncovered(part: RequestedPart, open: readonly string[]): string {
  if (sagaMaxOf(part) === 0) return `rule ${part.rule} asks about every call`;
  return `rule ${part.rule} requires that approvers see ${open.join(', ')}, which is not known yet`;
}

/** The planned call with the inputs that are known. A condition that reads another input fails, so its rule applies unless it allows. */
function plannedCall({ tool, version, inputs, asks }: PlannedStep, { principal, authority, case_id }: PlanCaller) {
  const context = { ...NO_CONTEXT, ...(asks ? { safety_mode: 'ask_all' as const } : {}) };
  return { tool, version, context, principal, authority, case_id, inputs_json: canonicalText(inputs), mapped: null };
}

/** Judges a planned step by the current rules. Never throws for a step of `sagaPlanOf`. */
export function coverageOf(rulings: TenantRulings, config: ConfigurationState, caller: PlanCaller, step: PlannedStep): StepCoverage {
  const { tenant_id, at_ms } = caller;
  const tool = catalogued(config, tenant_id, step.tool, step.version);
  if (tool?.digest !== step.contract_digest) return byItself(`${step.tool} ${step.version} is not the version that was planned`);
  if (mappingAt(config, tenant_id, step.tool, at_ms)) return byItself(`a mapping changes the inputs of ${step.tool}`);
  const ruling = rulings.resolve(config, { tenant_id, tool, call: plannedCall(step, caller) });
  if (ruling.effect === 'allow') return { parts: [], left: [], asks_because: null };
  if (ruling.effect !== 'require_approval') return byItself(`rule ${ruling.rule} does not allow it, as far as its inputs are known`);
  if (ruling.inputs_json !== undefined) return byItself(`rule ${ruling.rule} lowers its inputs`);
  if (step.asks) return byItself('the definition requires an approval of this step');
  const open = step.open_inputs.map(({ input }) => input);
  const unseen = new OpenInputs(tool.contract, open, config, tenant_id);
  const asking = partsRequested(ruling);
  const parts = asking.filter((part) => sagaMaxOf(part) > 0 && unseen.areAcceptedBy(part));
  const left = asking.filter((part) => !parts.includes(part));
  return { parts, left: left.map(({ rule }) => rule), asks_because: left[0] ? uncovered(left[0], open) : null };
}
