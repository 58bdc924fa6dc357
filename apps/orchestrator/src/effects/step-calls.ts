import { type CallRequest, type Calls, Refusal, type Submission } from '@countersign/calls';
import { callError, InfrastructureFault } from '@countersign/contracts';
import {
  type CallState,
  type Run,
  SAGA_APPROVAL,
  type SagaPlan,
  type StepBlock,
  statusOf,
  type ToolUse,
  usesOf,
} from '@countersign/domain';
import type { CompiledSaga } from '../definitions/compiled-saga.js';
import type { CompiledSagas } from '../definitions/compiled-sagas.js';
import type { CallOutputs } from '../evaluation/call-outputs.js';
import { EvaluationFault } from '../evaluation/evaluation-fault.js';
import { instanceOf } from '../evaluation/instance.js';
import { SagaScope } from '../evaluation/saga-scope.js';
import { starterOf } from '../sagas/callers.js';
import type { OpenSaga } from '../sagas/open-saga.js';
import type { SagaOrder } from '../sagas/saga-work.js';
import type { StarterStanding } from '../sagas/starter-standing.js';
import type { CallFollowing } from './call-following.js';
import { endedStep, isSettled } from './ended-call.js';
import { evaluatedInputs } from './step-inputs.js';
import { refusalError, submittedCall } from './submitted-call.js';
import { traceparentOf } from './traceparent.js';

/** How long to wait for the end of a call before it is followed. */
const WAIT_MS = 5_000;

/** Reports what happens to a call before its end. */
export type TellSaga = (order: SagaOrder) => void;

/** Makes the recorded calls of steps. A call that was submitted before is found by its id, so that a repeat makes no second call. */
export class StepCalls {
  constructor(
    private readonly calls: Calls,
    private readonly following: CallFollowing,
    private readonly compiled: CompiledSagas,
    private readonly outputs: CallOutputs,
    private readonly standing: StarterStanding,
  ) {}

  async call(saga: OpenSaga, run: Run, signal: AbortSignal, tell: TellSaga): Promise<SagaOrder | undefined> {
    const refusal = this.standing.refusal(saga);
    if (refusal && !(await this.exists(saga, run))) return failed(run, refusal);
    const request = await this.requestOf(saga, run);
    if (request instanceof EvaluationFault) return failed(run, request.error);
    const { call, by } = request;
    const answer = await submittedCall((sink) => this.calls.submit(call, by, sink));
    if (answer instanceof Refusal) return failed(run, refusalError(answer));
    const state = isSettled(answer) ? answer : await this.followed(answer, signal, tell);
    if (!state) return undefined;
    this.outputs.note(state);
    return endedStep(state);
  }

  /** Asks for the cancellation; the end of the call follows by itself. */
  async cancel(saga: OpenSaga, call_id: string): Promise<undefined> {
    const answer = await this.calls.cancel({ caller: starterOf(saga), call_id }, 'the saga does not need the step any more');
    if (answer instanceof Refusal && answer.kind !== 'conflict')
      throw new InfrastructureFault(`call ${call_id} cannot be cancelled now: ${answer.detail}`);
  }

  private async exists(saga: OpenSaga, { call_id }: Run): Promise<boolean> {
    return !((await this.calls.find({ caller: starterOf(saga), call_id })) instanceof Refusal);
  }

  /** Tells the saga while a person decides: its clock stands still. */
  private followed(known: CallState, signal: AbortSignal, tell: TellSaga): Promise<CallState | undefined> {
    let asks = false;
    return this.following.until(known, signal, (state) => {
      const asking = statusOf(state) === 'pending_approval';
      if (asking !== asks) tell({ kind: asking ? 'approval_opened' : 'approval_closed', call_id: state.call_id });
      asks = asking;
      return isSettled(state);
    });
  }

  private async requestOf(saga: OpenSaga, run: Run): Promise<{ call: CallRequest; by: Submission } | EvaluationFault> {
    const compiled = this.compiled.of(saga.tenant_id, saga.state);
    const block = compiled.step(instanceOf(run.step_id).name);
    const sources = await this.sourcesOf(saga, run, compiled, block);
    if (sources instanceof EvaluationFault) return sources;
    const inputs = await this.inputsOf(saga, run);
    if (inputs instanceof EvaluationFault) return inputs;
    const { markings } = run.step_id === SAGA_APPROVAL.step ? (inputs as unknown as SagaPlan) : sources;
    const { case_id } = saga.state;
    const call: CallRequest = {
      ...{ tool: run.tool, version: run.version, inputs },
      ...(case_id === null ? {} : { case_id }),
      context: { step: run.step_id.slice(0, 200), ...(block.asks ? { safety_mode: 'ask_all' as const } : {}) },
      ...(run.deadline_at_ms === null ? {} : { deadline: new Date(run.deadline_at_ms).toISOString() }),
    };
    return { call, by: this.submission(saga, run, { ...sources, markings }) };
  }

  private submission(
    saga: OpenSaga,
    run: Run,
    { call_ids, markings }: { call_ids: readonly string[]; markings: readonly string[] },
  ): Submission {
    const { step_id, level, attempt, call_id, key } = run;
    const ref = { saga_id: saga.saga_id, step_id, level, attempt, definition_digest: saga.state.definition_digest };
    return {
      caller: starterOf(saga),
      idempotency_key: undefined,
      traceparent: traceparentOf(saga.correlation_id, call_id),
      wait_ms: WAIT_MS,
      span_name: 'saga step',
      span_attributes: { 'saga.id': saga.saga_id, 'saga.step': step_id },
      step: { call_id, idempotency_key: key, saga: ref },
      ...(call_ids.length > 0 || markings.length > 0 ? { derived_from: { call_ids, markings } } : {}),
      warns_of_deprecation: false,
    };
  }

  /** The calls whose outputs the inputs use: the call inherits their markings. */
  private async sourcesOf(saga: OpenSaga, run: Run, compiled: CompiledSaga, block: StepBlock) {
    const use = usesOf(block)[run.level] as ToolUse;
    const scope = new SagaScope(saga, compiled, instanceOf(run.step_id), this.outputs);
    return evaluatedInputs(use.inputs, scope);
  }

  /** The recorded inputs. Not readable once a subject of them was erased. */
  private async inputsOf({ tenant_id }: OpenSaga, run: Run): Promise<Record<string, unknown> | EvaluationFault> {
    try {
      return JSON.parse(await this.outputs.opened(tenant_id, run.inputs_json)) as Record<string, unknown>;
    } catch (cause) {
      if (cause instanceof SyntaxError) return new EvaluationFault('the personal data in the inputs of the step was erased');
      throw cause;
    }
  }
}

function failed({ call_id, key }: Run, error: ReturnType<typeof callError>): SagaOrder {
  return { kind: 'step_ended', call_id, status: 'failed', effect: 'none', error, effect_key: key, effect_attempt: 0 };
}
