import { type CallSealer, newStepOrigin, Refusal, type SagaStepOrigin } from '@countersign/calls';
import { callError, InfrastructureFault, laneTopic } from '@countersign/contracts';
import {
  repairWarning,
  resolveVersion,
  SAGA_APPROVAL,
  type SagaEffect,
  type StepBlock,
  type ToolUse,
  type ToolVersion,
  tenantOf,
  usesOf,
} from '@countersign/domain';
import type { EventLog } from '@countersign/event-log';
import type { Configuration, TenantKeys } from '@countersign/process';
import type { SagaPlanner } from '../approval/saga-planner.js';
import { callTraits } from '../definitions/call-traits.js';
import { EvaluationFault } from '../evaluation/evaluation-fault.js';
import type { SagaScope } from '../evaluation/saga-scope.js';
import type { SagaScopes } from '../evaluation/saga-scopes.js';
import type { OpenSaga } from '../sagas/open-saga.js';
import type { SagaOrder } from '../sagas/saga-work.js';
import { confidenceOf } from './level-confidence.js';
import type { LevelSkips } from './level-skips.js';
import { type DerivedInputs, evaluatedInputs, inputsText } from './step-inputs.js';
import type { StepRepairs } from './step-repairs.js';
import { stepResources } from './step-resources.js';

type Prepare = Extract<SagaEffect, { kind: 'prepare' }>;

interface DueStep {
  step_id: string;
  level: number;
  block: StepBlock;
}

type StepInputs = DerivedInputs & { repairs?: readonly string[] };

interface StepParts {
  keys: TenantKeys;
  log: Pick<EventLog, 'partitions'>;
  sealer: Pick<CallSealer, 'ofStep'>;
  skips: LevelSkips;
  repairs: StepRepairs;
  planner: Pick<SagaPlanner, 'plan'>;
}

/** Evaluates the condition and the inputs of a due step, and gives its call an identity. Sends nothing. */
export class StepPreparer {
  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly scopes: SagaScopes,
    private readonly parts: StepParts,
  ) {}

  async prepare(saga: OpenSaga, effect: Prepare): Promise<SagaOrder> {
    const { step_id, name, level } = effect;
    const scope = this.scopes.of(saga, step_id);
    const block = scope.compiled.step(name);
    const due = { step_id, level, block };
    if (name === SAGA_APPROVAL.step) return this.approval(saga, due);
    const { tool } = usesOf(block)[level] as ToolUse;
    const runs = level > 0 || block.when === undefined || (await scope.isTrue(block.when));
    if (runs instanceof EvaluationFault) return { kind: 'step_unprepared', step_id, tool, error: runs.error };
    if (!runs) return { kind: 'step_skipped', step_id, tool };
    return this.withTool(saga, due, () => this.inputsOf(saga, due, scope));
  }

  /** Without a step that one approval would cover there is nothing to ask. */
  private async approval(saga: OpenSaga, due: DueStep): Promise<SagaOrder> {
    const plan = await this.parts.planner.plan(saga);
    if (!plan) return { kind: 'step_skipped', step_id: due.step_id, tool: SAGA_APPROVAL.tool };
    return this.withTool(saga, due, async () => ({ value: { ...plan }, call_ids: [], markings: plan.markings }));
  }

  /** The newest usable version at this moment; a retry keeps the recorded one. */
  private async withTool(saga: OpenSaga, due: DueStep, evaluate: () => Promise<StepInputs | EvaluationFault>): Promise<SagaOrder> {
    const { step_id, level, block } = due;
    const use = usesOf(block)[level] as ToolUse;
    const found = resolveVersion(this.configuration.state, saga.tenant_id, use.tool, use.version);
    if (found.kind !== 'found') {
      const error = callError('VALIDATION_ERROR', `no usable version of ${use.tool} is in ${use.version}`, { class: 'not_found' });
      return { kind: 'step_unprepared', step_id, tool: use.tool, error };
    }
    const origin = this.originOf(saga, due, found.tool);
    const reason = await this.parts.skips.reasonOf(saga, { block, level, found, call_id: origin.call_id });
    if (reason) return { kind: 'level_skipped', step_id, level, tool: use.tool, version: found.tool.version, reason };
    const inputs = await evaluate();
    if (inputs instanceof EvaluationFault) return { kind: 'step_unprepared', step_id, tool: use.tool, error: inputs.error };
    return this.prepared(saga, due, found.tool, { origin, inputs });
  }

  /** Evaluated inputs, or those of the last call of a read with repairs. */
  private async inputsOf(saga: OpenSaga, { step_id, level, block }: DueStep, scope: SagaScope): Promise<StepInputs | EvaluationFault> {
    const { inputs: bindings } = usesOf(block)[level] as ToolUse;
    const inputs = await evaluatedInputs(bindings, scope);
    const last = saga.state.steps.get(step_id)?.runs.at(-1);
    if (inputs instanceof EvaluationFault || !last?.end?.is_repaired || last.level !== level) return inputs;
    const repair = await this.parts.repairs.next(saga, last);
    return repair
      ? { ...inputs, value: repair.inputs, repairs: repair.changes.map(repairWarning) }
      : new EvaluationFault('its inputs cannot be repaired');
  }

  private originOf({ tenant_id, saga_id, state }: OpenSaga, { step_id, level, block }: DueStep, { contract }: ToolVersion): SagaStepOrigin {
    const attempt = (state.steps.get(step_id)?.runs.length ?? 0) + 1;
    const ref = { saga_id, step_id, level, attempt, definition_digest: state.definition_digest, ...confidenceOf(block, level) };
    const tenant_key = this.parts.keys.tenantKey(tenant_id);
    return newStepOrigin(ref, contract, { tenant_id, tenant_key, partitions: this.partitions(tenant_id) });
  }

  private async prepared(
    { tenant_id, sources }: OpenSaga,
    { step_id, level, block }: DueStep,
    toolVersion: ToolVersion,
    { origin, inputs }: { origin: SagaStepOrigin; inputs: StepInputs },
  ): Promise<SagaOrder> {
    const { name: tool, version, contract } = toolVersion;
    const { call_ids, markings, value, repairs = [] } = inputs;
    const text = inputsText(step_id, value);
    if (text instanceof EvaluationFault) return { kind: 'step_unprepared', step_id, tool, error: text.error };
    const inputs_json = await this.parts.sealer.ofStep(tenant_id, { tool, markings, inputs_json: text });
    if (inputs_json instanceof Refusal) return unsealed(step_id, tool, inputs_json);
    sources.set(origin.call_id, { call_ids, markings });
    const { is_write, is_irreversible, undo_tool } = callTraits(block, toolVersion);
    const tenant_key = this.parts.keys.tenantKey(tenant_id);
    return {
      kind: 'step_prepared',
      step_id,
      level,
      call_id: origin.call_id,
      key: origin.idempotency_key,
      tool,
      version,
      inputs_json,
      repairs,
      is_write,
      is_irreversible,
      compensation_tool: undo_tool,
      resources: is_write ? stepResources(contract, value, { tenant_id, tenant_key }) : [],
      latency_ms: contract.sla?.p99_ms ?? 0,
    };
  }

  private partitions(tenant_id: string): number {
    const tenant = tenantOf(this.configuration.state, tenant_id);
    if (!tenant) throw new InfrastructureFault(`the tenant ${tenant_id} is not known yet`);
    return this.parts.log.partitions(laneTopic('tool-call-requested', tenant.lane));
  }
}

function unsealed(step_id: string, tool: string, refusal: Refusal): SagaOrder {
  if (refusal.kind === 'unavailable') throw new InfrastructureFault(refusal.detail);
  return { kind: 'step_unprepared', step_id, tool, error: callError('VALIDATION_ERROR', refusal.detail) };
}
