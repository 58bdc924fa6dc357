import { canonicalText, NO_CONTEXT, type SagaLevelSkipReason, type ToolCall } from '@countersign/contracts';
import {
  knownTool,
  levelP99,
  levelSkipReason,
  limitsOf,
  type StepBlock,
  type TenantToolVersion,
  type ToolUse,
  timeLeft,
  usesOf,
} from '@countersign/domain';
import { type CircuitView, type Configuration, rateBudget } from '@countersign/process';
import type { Sql } from '@countersign/store';
import { starterOf } from '../sagas/callers.js';
import type { OpenSaga } from '../sagas/open-saga.js';

/** A level of a step, and the tool version that it would call. */
export interface DueLevel {
  block: StepBlock;
  level: number;
  found: TenantToolVersion;
  /** The call that the level would make: the holder of a probe. */
  call_id: string;
}

/** Knows whether a level of a step can run now: circuit, rate budget and time. */
export class LevelSkips {
  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly circuits: CircuitView,
    private readonly store: Sql,
    private readonly now_ms: () => number,
  ) {}

  /** Why the level cannot run; undefined if it can. The circuit's one probe is then taken for it. @throws InfrastructureFault */
  async reasonOf(saga: OpenSaga, due: DueLevel): Promise<SagaLevelSkipReason | undefined> {
    const { block, level, found, call_id } = due;
    const { name: tool, version } = found.tool;
    const key = { tenant_id: saga.tenant_id, tool, version };
    const circuit = this.circuits.stateOf(saga.tenant_id, tool, version);
    const has_probe = circuit === 'half_open' && (await this.circuits.acquire(key, call_id));
    const p99_ms = levelP99(usesOf(block)[level] as ToolUse, knownTool(found));
    const time_left_ms = timeLeft(saga.state, this.now_ms());
    const reason = levelSkipReason({ circuit, has_probe, rate_budget: await this.rateBudget(saga, due), p99_ms, time_left_ms });
    if (reason && has_probe) await this.circuits.release(key, call_id);
    return reason;
  }

  /** Only where another level follows: a limit may let the call wait instead of refusing it. */
  private async rateBudget(saga: OpenSaga, { block, level, found }: DueLevel): Promise<number | null> {
    const limits = limitsOf(this.configuration.state, saga.tenant_id);
    const follows = level + 1 < usesOf(block).length || block.manual !== undefined;
    if (!follows || limits.length === 0) return null;
    const { contract } = found.tool;
    return rateBudget(this.store, limits, { tenant_id: saga.tenant_id, call: countedCall(saga, found), contract, at_ms: this.now_ms() });
  }
}

/** As much of the call as rate limits count by. */
function countedCall(saga: OpenSaga, { tool }: TenantToolVersion): ToolCall {
  const { principal, authority } = starterOf(saga);
  const { effect_class, category } = tool.contract;
  const what = { tool: tool.name, version: tool.version, effect_class, category, inputs_json: canonicalText({}) };
  return { ...what, principal, authority, case_id: saga.state.case_id, run_id: null, context: NO_CONTEXT } as unknown as ToolCall;
}
