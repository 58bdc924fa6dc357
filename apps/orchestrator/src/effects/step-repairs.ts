import { CompiledContracts } from '@countersign/calls';
import {
  catalogued,
  type EndedRead,
  instanceOf,
  nextRepair,
  type Repair,
  type RepairCause,
  type Run,
  repairCauseOf,
} from '@countersign/domain';
import type { Configuration } from '@countersign/process';
import type { CallOutcomes } from '../evaluation/call-outcomes.js';
import type { SagaScopes } from '../evaluation/saga-scopes.js';
import type { OpenSaga } from '../sagas/open-saga.js';

type Inputs = Record<string, unknown>;

/** The end of a read: its record, or why it was refused. */
export type ReadEnd = Pick<EndedRead, 'status' | 'error'> & { output_json: string | null };

/** Repairs of reads whose step asks for them: another call with inputs that pass the schema. Deterministic, so that a restart gives the same. */
export class StepRepairs {
  private readonly contracts = new CompiledContracts();

  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly scopes: SagaScopes,
    private readonly outcomes: Pick<CallOutcomes, 'settled'>,
  ) {}

  async isRepairable(saga: OpenSaga, run: Run, end: ReadEnd): Promise<boolean> {
    return this.wantsRepair(saga, run) && (await this.repair(saga, run, async () => end)) !== undefined;
  }

  private wantsRepair(saga: OpenSaga, { step_id, is_write }: Run): boolean {
    return !is_write && this.scopes.definitionOf(saga).step(instanceOf(step_id).name).repair === true;
  }

  /** The repaired inputs that follow from the end of this run; undefined if there are none. */
  next(saga: OpenSaga, run: Run): Promise<Repair | undefined> {
    return this.repair(saga, run, async () => {
      const { end } = await this.outcomes.settled(saga.tenant_id, run.call_id);
      const { status = 'failed', error = null, output_json = null } = end?.outcome ?? {};
      return { status, error, output_json };
    });
  }

  private async repair(saga: OpenSaga, run: Run, endOf: () => Promise<ReadEnd>): Promise<Repair | undefined> {
    const { tenant_id } = saga;
    const tool = catalogued(this.configuration.state, tenant_id, run.tool, run.version);
    if (!tool || !this.wantsRepair(saga, run)) return undefined;
    const check = this.contracts.of(tool);
    if (typeof check === 'string') return undefined;
    const inputs = await this.parsed(tenant_id, run.inputs_json);
    if (this.scopes.outputs.hasErased(tenant_id, inputs)) return undefined;
    const issues = check(structuredClone(inputs));
    // Such inputs were refused before there was a call.
    const cause: RepairCause | undefined =
      issues.length > 0 ? { kind: 'invalid', issues } : repairCauseOf(tool.contract, await this.ended(tenant_id, inputs, await endOf()));
    const tried = await this.tried(saga, run);
    const repair = cause && nextRepair({ contract: tool.contract, inputs, tried, cause, check });
    return repair?.kind === 'repaired' ? repair : undefined;
  }

  private async ended(tenant_id: string, inputs: Inputs, { status, error, output_json }: ReadEnd): Promise<EndedRead> {
    const output = output_json === null ? null : (JSON.parse(await this.scopes.outputs.opened(tenant_id, output_json)) as unknown);
    return { inputs, status, output, error };
  }

  /** Inputs of the earlier calls on this level. */
  private async tried({ tenant_id, state }: OpenSaga, { step_id, level, attempt }: Run): Promise<Inputs[]> {
    const before = (state.steps.get(step_id)?.runs ?? []).filter((run) => run.level === level && run.attempt < attempt);
    return Promise.all(before.map(({ inputs_json }) => this.parsed(tenant_id, inputs_json)));
  }

  private async parsed(tenant_id: string, json: string): Promise<Inputs> {
    return (await this.scopes.outputs.evaluable(tenant_id, json)) as Inputs;
  }
}
