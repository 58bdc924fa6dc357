import { canonicalText, type SagaCoveredStep, sha256Hex, type ToolCall } from '@countersign/contracts';

/** The built-in tool that an approval of a whole saga is about, and the step that calls it. No definition can name a step like this. */
export const SAGA_APPROVAL = { tool: 'show_saga_plan', version: '^1.0.0', step: '$approval' } as const;

/** An input of a planned step whose value is not known yet, and why. */
export interface OpenInput {
  input: string;
  why: string;
}

/** One fallback level of a step as approvers see it. */
export interface PlannedStep {
  /** With the index of the item in each map around it: `ship[2]`. */
  step_id: string;
  level: number;
  tool: string;
  version: string;
  contract_digest: string;
  /** The inputs that follow from the inputs of the saga alone, with the defaults of the tool. */
  inputs: Record<string, unknown>;
  open_inputs: OpenInput[];
  /** Conditions under which it runs; empty: always, unless an earlier step fails. */
  only_if: string[];
  /** The definition requires an approval of this step by itself. */
  asks: boolean;
  is_irreversible: boolean;
  /** The tool that undoes it; null: nothing does. */
  undo: string | null;
  /** The rules that no longer ask about this step once the plan is approved. */
  covered_by: string[];
  /** Why the step asks by itself; null: it does not, as far as the rules tell now. */
  asks_because: string | null;
}

/** The inputs of `show_saga_plan`. */
export interface SagaPlan {
  definition: string;
  version: string;
  definition_digest: string;
  /** Markings of the planned tools: who lacks a clearance for one does not see the plan. */
  markings: string[];
  steps: PlannedStep[];
  /** Steps that cannot be planned: they ask by themselves. */
  unplanned: { step_id: string; why: string }[];
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');

function isStep(value: unknown): value is PlannedStep {
  if (!isObject(value)) return false;
  const { step_id, level, tool, version, contract_digest, inputs, open_inputs, covered_by, asks } = value;
  return (
    [step_id, tool, version, contract_digest].every((one) => typeof one === 'string') &&
    Number.isSafeInteger(level) &&
    typeof asks === 'boolean' &&
    isObject(inputs) &&
    Array.isArray(open_inputs) &&
    open_inputs.every((one) => isObject(one) && typeof one.input === 'string') &&
    areTexts(covered_by)
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The plan in inputs of `show_saga_plan`; undefined if they are none. */
function planIn(inputs_json: string): SagaPlan | undefined {
  const plan = parsed(inputs_json);
  if (!isObject(plan) || typeof plan.definition_digest !== 'string' || !areTexts(plan.markings)) return undefined;
  const fits = Array.isArray(plan.steps) && plan.steps.every(isStep);
  return fits ? (plan as unknown as SagaPlan) : undefined;
}

/**
 * The plan that a call asks approval for. Undefined unless the orchestrator made the call for the approval step of a saga of this
 * definition: only it can set `saga`. A plan of an agent, or one whose inputs are encrypted, is none.
 */
export function sagaPlanOf({
  tool,
  saga,
  sealed,
  inputs_json,
}: Pick<ToolCall, 'tool' | 'saga' | 'sealed' | 'inputs_json'>): SagaPlan | undefined {
  if (tool !== SAGA_APPROVAL.tool || saga?.step_id !== SAGA_APPROVAL.step || sealed) return undefined;
  const plan = planIn(inputs_json);
  return plan?.definition_digest === saga.definition_digest ? plan : undefined;
}

/** The digest of inputs without the open ones. */
export function shownDigest(inputs: Record<string, unknown>, open_inputs: readonly string[]): string {
  return sha256Hex(canonicalText(Object.fromEntries(Object.entries(inputs).filter(([name]) => !open_inputs.includes(name)))));
}

/** A planned step as an approval binds it. `rules`: those whose parts it meets. */
export function coveredStep(
  { step_id, level, tool, version, contract_digest, inputs, open_inputs }: PlannedStep,
  rules: string[],
): SagaCoveredStep {
  const open = open_inputs.map(({ input }) => input);
  return { step_id, level, tool, version, contract_digest, shown_digest: shownDigest(inputs, open), open_inputs: open, rules };
}
