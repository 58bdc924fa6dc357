import { type CallRequest, type Calls, Refusal, type Submission } from '@countersign/calls';
import { type CallError, InfrastructureFault } from '@countersign/contracts';
import {
  type CallState,
  instanceOf,
  type Run,
  SAGA_APPROVAL,
  type SagaPlan,
  type StepBlock,
  type ToolUse,
  usesOf,
} from '@countersign/domain';
import { EvaluationFault, erasedFault } from '../evaluation/evaluation-fault.js';
import type { SagaScopes } from '../evaluation/saga-scopes.js';
import { starterOf } from '../sagas/callers.js';
import type { InputSources, OpenSaga } from '../sagas/open-saga.js';
import type { SagaOrder } from '../sagas/saga-work.js';
import type { StarterStanding } from '../sagas/starter-standing.js';
import type { CallFollowing, TellSaga } from './call-following.js';
import type { EffectStop } from './effect-stop.js';
import { type EndStep, endedStep } from './ended-call.js';
import { confidenceOf } from './level-confidence.js';
import type { SentCalls } from './sent-calls.js';
import { evaluatedInputs } from './step-inputs.js';
import type { StepRepairs } from './step-repairs.js';
import { refusalError, submittedCall } from './submitted-call.js';
import { traceparentOf } from './traceparent.js';

/** How long to wait for the end of a call before it is followed. */
const WAIT_MS = 5_000;

/** Makes the recorded calls of steps. A call that was submitted before is found by its id, so that a repeat makes no second call. */
export class StepCalls {
  constructor(
    private readonly calls: Pick<Calls, 'submit' | 'cancel'>,
    private readonly following: Pick<CallFollowing, 'settled'>,
    private readonly scopes: SagaScopes,
    private readonly parts: {
      standing: Pick<StarterStanding, 'refusal'>;
      repairs: Pick<StepRepairs, 'isRepairable'>;
      sent: Pick<SentCalls, 'find'>;
    },
  ) {}

  /** A call that may have been sent is followed to its end: neither its inputs nor the rights of its starter matter any more. */
  async call(saga: OpenSaga, run: Run, stop: EffectStop, tell: TellSaga): Promise<SagaOrder | undefined> {
    const sent = saga.unsent.has(run.call_id) ? undefined : await this.parts.sent.find(saga, run.call_id);
    const answer = sent ?? (await this.submitted(saga, run));
    if ('kind' in answer) return answer;
    const state = await this.following.settled(answer, stop, tell);
    if (!state) return undefined;
    this.scopes.outputs.note(state);
    return this.repairable(saga, run, endedStep(state), state.end?.outcome.output_json ?? null);
  }

  /** The call once it is on the record, or the end of the step if it never is. */
  private async submitted(saga: OpenSaga, run: Run): Promise<CallState | EndStep> {
    const refusal = this.parts.standing.refusal(saga);
    if (refusal) return failed(run, refusal);
    const request = await this.requestOf(saga, run);
    if (request instanceof EvaluationFault) return failed(run, request.error);
    const { call, by } = request;
    const answer = await submittedCall((sink) => this.calls.submit(call, by, sink));
    if (!(answer instanceof Refusal)) return answer;
    // A repeat may be refused although its call is on the record and runs.
    return (await this.parts.sent.find(saga, run.call_id)) ?? this.repairable(saga, run, failed(run, refusalError(answer)), null);
  }

  /** The end of a read says whether a call with repaired inputs follows. */
  private async repairable(saga: OpenSaga, run: Run, end: EndStep, output_json: string | null): Promise<EndStep> {
    const { status, error } = end;
    return { ...end, is_repaired: await this.parts.repairs.isRepairable(saga, run, { status, error, output_json }) };
  }

  /** Asks for the cancellation; the end of the call follows by itself. */
  async cancel(saga: OpenSaga, call_id: string): Promise<undefined> {
    const answer = await this.calls.cancel({ caller: starterOf(saga), call_id }, 'the saga does not need the step any more');
    if (answer instanceof Refusal && answer.kind !== 'conflict')
      throw new InfrastructureFault(`call ${call_id} cannot be cancelled now: ${answer.detail}`);
  }

  private async requestOf(saga: OpenSaga, run: Run): Promise<{ call: CallRequest; by: Submission } | EvaluationFault> {
    const block = this.scopes.definitionOf(saga).step(instanceOf(run.step_id).name);
    const sources = saga.sources.get(run.call_id) ?? (await this.sourcesOf(saga, run, block));
    if (sources instanceof EvaluationFault) return sources;
    const inputs = await this.inputsOf(saga, run);
    if (inputs instanceof EvaluationFault) return inputs;
    const { markings } = run.step_id === SAGA_APPROVAL.step ? (inputs as unknown as SagaPlan) : sources;
    const { case_id } = saga.state;
    const call: CallRequest = {
      tool: run.tool,
      version: run.version,
      inputs,
      context: { step: run.step_id.slice(0, 200), ...(block.asks ? { safety_mode: 'ask_all' as const } : {}) },
      ...(case_id === null ? {} : { case_id }),
      ...(run.deadline_at_ms === null ? {} : { deadline: new Date(latestStart(saga, run.deadline_at_ms)).toISOString() }),
    };
    return { call, by: submissionOf(saga, run, { block, sources: { call_ids: sources.call_ids, markings } }) };
  }

  /** The sources of a step that an earlier process prepared. */
  private async sourcesOf(saga: OpenSaga, run: Run, block: StepBlock): Promise<InputSources | EvaluationFault> {
    const use = usesOf(block)[run.level] as ToolUse;
    return evaluatedInputs(use.inputs, this.scopes.of(saga, run.step_id));
  }

  /** The recorded inputs. Not readable once a subject of them was erased. */
  private async inputsOf({ tenant_id }: OpenSaga, run: Run): Promise<Record<string, unknown> | EvaluationFault> {
    const inputs = await this.scopes.outputs.evaluable(tenant_id, run.inputs_json);
    return this.scopes.outputs.hasErased(tenant_id, inputs) ? erasedFault('the inputs of the step') : (inputs as Record<string, unknown>);
  }
}

/** A person may decide for as long as the saga waits. The saga itself cancels a call whose share of the time is over. */
const latestStart = ({ state }: OpenSaga, deadline_at_ms: number): number => deadline_at_ms + state.wait_max_ms;

function failed({ call_id, key }: Run, error: CallError): EndStep {
  return { kind: 'step_ended', call_id, status: 'failed', effect: 'none', error, effect_key: key, effect_attempt: 0, is_repaired: false };
}

function submissionOf(saga: OpenSaga, run: Run, { block, sources }: { block: StepBlock; sources: InputSources }): Submission {
  const { step_id, level, attempt, call_id, key } = run;
  const { saga_id } = saga;
  const step = { saga_id, step_id, level, attempt, definition_digest: saga.state.definition_digest, ...confidenceOf(block, level) };
  return {
    caller: starterOf(saga),
    idempotency_key: undefined,
    traceparent: traceparentOf(saga.correlation_id, call_id),
    wait_ms: WAIT_MS,
    span_name: 'saga step',
    span_attributes: { 'saga.id': saga_id, 'saga.step': step_id },
    step: { call_id, idempotency_key: key, is_new: saga.unsent.delete(call_id), saga: step },
    ...(sources.call_ids.length > 0 || sources.markings.length > 0 ? { derived_from: sources } : {}),
    warns_of_deprecation: false,
  };
}
