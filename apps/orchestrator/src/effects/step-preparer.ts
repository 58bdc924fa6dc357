import { type CallSealer, newStepOrigin, Refusal } from '@countersign/calls';
import { callError, canonicalText, InfrastructureFault, isReadOnly, laneTopic } from '@countersign/contracts';
import {
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
import type { CompiledSagas } from '../definitions/compiled-sagas.js';
import type { CallOutputs } from '../evaluation/call-outputs.js';
import { EvaluationFault } from '../evaluation/evaluation-fault.js';
import { instanceOf } from '../evaluation/instance.js';
import { SagaScope } from '../evaluation/saga-scope.js';
import type { OpenSaga } from '../sagas/open-saga.js';
import type { SagaOrder } from '../sagas/saga-work.js';
import { type DerivedInputs, evaluatedInputs } from './step-inputs.js';
import { stepResources } from './step-resources.js';

type Prepare = Extract<SagaEffect, { kind: 'prepare' }>;

/** Evaluates the condition and the inputs of a due step, and gives its call an identity. Sends nothing. */
export class StepPreparer {
  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly compiled: CompiledSagas,
    private readonly outputs: CallOutputs,
    private readonly planner: Pick<SagaPlanner, 'plan'>,
    private readonly parts: { keys: TenantKeys; log: Pick<EventLog, 'partitions'>; sealer: Pick<CallSealer, 'ofStep'> },
  ) {}

  async prepare(saga: OpenSaga, effect: Prepare): Promise<SagaOrder> {
    const { step_id, name, level } = effect;
    const compiled = this.compiled.of(saga.tenant_id, saga.state);
    const block = compiled.step(name);
    const use = usesOf(block)[level] as ToolUse;
    if (name === SAGA_APPROVAL.step) return this.approval(saga, effect, block);
    const scope = new SagaScope(saga, compiled, instanceOf(step_id), this.outputs);
    const runs = level > 0 || block.when === undefined || (await scope.isTrue(block.when));
    if (runs instanceof EvaluationFault) return { kind: 'step_unprepared', step_id, tool: use.tool, error: runs.error };
    if (!runs) return { kind: 'step_skipped', step_id, tool: use.tool };
    const inputs = await evaluatedInputs(use.inputs, scope);
    if (inputs instanceof EvaluationFault) return { kind: 'step_unprepared', step_id, tool: use.tool, error: inputs.error };
    return this.withTool(saga, effect, { block, use, inputs });
  }

  /** Without a step that one approval would cover there is nothing to ask. */
  private async approval(saga: OpenSaga, effect: Prepare, block: StepBlock): Promise<SagaOrder> {
    const plan = await this.planner.plan(saga);
    if (!plan) return { kind: 'step_skipped', step_id: effect.step_id, tool: SAGA_APPROVAL.tool };
    const inputs = { value: { ...plan }, call_ids: [], markings: plan.markings };
    return this.withTool(saga, effect, { block, use: block.use, inputs });
  }

  /** The newest usable version at this moment; a retry keeps the recorded one. */
  private async withTool(
    saga: OpenSaga,
    { step_id, level }: Prepare,
    { block, use, inputs }: { block: StepBlock; use: ToolUse; inputs: DerivedInputs },
  ): Promise<SagaOrder> {
    const found = resolveVersion(this.configuration.state, saga.tenant_id, use.tool, use.version);
    if (found.kind !== 'found') {
      const error = callError('VALIDATION_ERROR', `no usable version of ${use.tool} is in ${use.version}`, { class: 'not_found' });
      return { kind: 'step_unprepared', step_id, tool: use.tool, error };
    }
    return this.prepared(saga, { step_id, level }, found.tool, { block, inputs });
  }

  private async prepared(
    saga: OpenSaga,
    { step_id, level }: Pick<Prepare, 'step_id' | 'level'>,
    { name: tool, version, contract }: ToolVersion,
    { block, inputs }: { block: StepBlock; inputs: DerivedInputs },
  ): Promise<SagaOrder> {
    const { tenant_id, saga_id, state } = saga;
    const tenant_key = this.parts.keys.tenantKey(tenant_id);
    const attempt = (state.steps.get(step_id)?.runs.length ?? 0) + 1;
    const ref = { saga_id, step_id, level, attempt, definition_digest: state.definition_digest };
    const { call_id, idempotency_key } = newStepOrigin(ref, contract, { tenant_id, tenant_key, partitions: this.partitions(tenant_id) });
    const inputs_json = await this.parts.sealer.ofStep(tenant_id, {
      tool,
      markings: inputs.markings,
      inputs_json: canonicalText(inputs.value),
    });
    if (inputs_json instanceof Refusal) return unsealed(step_id, tool, inputs_json);
    const is_write = !isReadOnly(contract.effect_class);
    return {
      kind: 'step_prepared',
      ...{ step_id, level, call_id, tool, version, key: idempotency_key, inputs_json, is_write },
      is_irreversible: is_write && contract.reversibility === 'irreversible',
      resources: is_write ? stepResources(contract, inputs.value, { tenant_id, tenant_key }) : [],
      compensation_tool: block.compensation?.tool ?? (contract.has_compensate ? tool : null),
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
