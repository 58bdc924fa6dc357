import { type CallSealer, CompiledContracts, isTooDeep } from '@countersign/calls';
import { canonicalText, lacking, union } from '@countersign/contracts';
import { coverageOf, type PlanCaller, type TenantRulings } from '@countersign/decisions';
import {
  catalogued,
  instanceId,
  type PlannedStep,
  resolveVersion,
  SAGA_APPROVAL,
  type SagaPlan,
  type ToolUse,
  type ToolVersion,
  usesOf,
} from '@countersign/domain';
import type { Configuration, Logger } from '@countersign/process';
import { callTraits } from '../definitions/call-traits.js';
import type { SagaScopes } from '../evaluation/saga-scopes.js';
import { starterOf } from '../sagas/callers.js';
import type { OpenSaga } from '../sagas/open-saga.js';
import { type PlannedInputs, plannedInputs } from './planned-inputs.js';
import { type LevelToPlan, PlannedSteps } from './planned-steps.js';

/** A longer plan would be copied into each record of its approval. */
const PLAN_CHARS_MAX = 65_536;

const PERSONAL = 'its inputs contain personal data';
const NO_MARKINGS: readonly string[] = [];

type Uncovered = Omit<PlannedStep, 'covered_by' | 'asks_because'>;

interface PlannerParts {
  scopes: SagaScopes;
  sealer: Pick<CallSealer, 'rules'>;
  rulings: TenantRulings;
}

/** Makes the plan of a saga: what its approvers see, and what their approval covers by the rules of this moment. */
export class SagaPlanner {
  private readonly contracts = new CompiledContracts();

  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly parts: PlannerParts,
    private readonly now_ms: () => number,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** @returns undefined if an approval would cover no step, or if the plan is too large: then every step asks by itself */
  async plan(saga: OpenSaga): Promise<SagaPlan | undefined> {
    const { definition, definition_digest } = saga.state;
    if (definition_digest === null) return undefined;
    const walk = new PlannedSteps(saga, this.parts.scopes);
    const found = await walk.of(definition);
    if (!found) return this.tooLarge(saga);
    const steps: PlannedStep[] = [];
    const unplanned = [...found.unplanned];
    for (const level of found.levels) {
      const planned = await this.step(saga, walk, level);
      if ('why' in planned) unplanned.push(planned);
      else steps.push(planned);
    }
    const shown = steps.filter(({ asks_because }) => asks_because !== PERSONAL);
    const markings = shown.reduce((all, step) => union(all, this.markingsOf(saga.tenant_id, step)), NO_MARKINGS);
    if (this.isPersonal(saga, SAGA_APPROVAL.tool, markings)) return undefined;
    if (!steps.some(({ covered_by }) => covered_by.length > 0)) return undefined;
    const plan = { definition: definition.name, version: definition.version, definition_digest, markings: [...markings], steps, unplanned };
    return isTooDeep(plan) || canonicalText(plan).length > PLAN_CHARS_MAX ? this.tooLarge(saga) : plan;
  }

  private markingsOf(tenant_id: string, { tool, version }: PlannedStep): readonly string[] {
    return catalogued(this.configuration.state, tenant_id, tool, version)?.contract.markings ?? NO_MARKINGS;
  }

  private tooLarge({ tenant_id, saga_id }: OpenSaga): undefined {
    this.logger.warn(
      { event: 'saga_plan_too_large', tenant_id, saga_id },
      'the plan of a saga is too large for one approval: each step asks by itself',
    );
    return undefined;
  }

  private async step(saga: OpenSaga, walk: PlannedSteps, level: LevelToPlan): Promise<PlannedStep | { step_id: string; why: string }> {
    const step_id = instanceId(level.at.name, level.at.indices);
    const use = usesOf(level.block)[level.level] as ToolUse;
    const found = resolveVersion(this.configuration.state, saga.tenant_id, use.tool, use.version);
    if (found.kind !== 'found') return { step_id, why: `no usable version of ${use.tool} is in ${use.version}` };
    const missing = lacking(found.tool.contract.markings, starterOf(saga).clearances);
    if (missing.length > 0) return { step_id, why: `who started the saga is not cleared for ${missing.join(', ')}` };
    const filled = this.withDefaults(found.tool, await plannedInputs(use.inputs, walk.scope(level.at)));
    if (this.isPersonal(saga, found.tool.name, found.tool.contract.markings))
      return { ...uncoveredStep(level, found.tool, hidden(filled)), covered_by: [], asks_because: PERSONAL };
    const uncovered = uncoveredStep(level, found.tool, filled);
    const { parts, asks_because } = coverageOf(this.parts.rulings, this.configuration.state, this.callerOf(saga), {
      ...uncovered,
      ...{ covered_by: [], asks_because: null },
    });
    return { ...uncovered, covered_by: parts.map(({ rule }) => rule), asks_because };
  }

  private callerOf(saga: OpenSaga): PlanCaller {
    const { principal, authority } = starterOf(saga);
    return { tenant_id: saga.tenant_id, principal, authority, case_id: saga.state.case_id, at_ms: this.now_ms() };
  }

  /** The defaults of the schema, as admission fills them in. Inputs that do not fit are refused there. */
  private withDefaults(tool: ToolVersion, { inputs, open_inputs }: PlannedInputs): PlannedInputs {
    const check = this.contracts.of(tool);
    if (typeof check === 'string') return { inputs, open_inputs };
    const filled = structuredClone(inputs);
    check(filled);
    for (const { input } of open_inputs) delete filled[input];
    return { inputs: filled, open_inputs };
  }

  /** True if the inputs of such a call are recorded encrypted. */
  private isPersonal({ tenant_id, state }: OpenSaga, tool: string, markings: readonly string[]): boolean {
    return this.parts.sealer.rules(tenant_id, tool, union(markings, state.authority?.markings ?? NO_MARKINGS)).length > 0;
  }
}

/** Approvers do not see inputs that are recorded encrypted, and policy cannot compare them. */
const hidden = ({ inputs, open_inputs }: PlannedInputs): PlannedInputs => ({
  inputs: {},
  open_inputs: [...open_inputs, ...Object.keys(inputs).map((input) => ({ input, why: PERSONAL }))],
});

function uncoveredStep({ at, block, level, only_if }: LevelToPlan, tool: ToolVersion, known: PlannedInputs): Uncovered {
  const { is_irreversible, undo_tool } = callTraits(block, tool);
  return {
    ...{ step_id: instanceId(at.name, at.indices), level, tool: tool.name, version: tool.version, contract_digest: tool.digest, ...known },
    ...{ only_if: [...only_if], asks: block.asks === true, is_irreversible },
    undo: undo_tool,
  };
}
