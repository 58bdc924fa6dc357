import {
  type CallSealer,
  type CompensationSubmitter,
  effectOfCall,
  Refusal,
  type StateSink,
  type Submission,
  UNDO_DEADLINE_MS,
  undoIdentity,
} from '@countersign/calls';
import { type CallError, type CompensationKind, callError, uuidv7 } from '@countersign/contracts';
import { type CallState, instanceOf, type Run, resolveVersion, sagaDefinitionsOf, statusOf, type ToolUse } from '@countersign/domain';
import type { Configuration, TenantKeys } from '@countersign/process';
import type { CallOutcomes } from '../evaluation/call-outcomes.js';
import { EvaluationFault, erasedFault } from '../evaluation/evaluation-fault.js';
import type { SagaScopes } from '../evaluation/saga-scopes.js';
import { compensatorOf, starterOf } from '../sagas/callers.js';
import type { OpenSaga } from '../sagas/open-saga.js';
import type { SagaOrder } from '../sagas/saga-work.js';
import type { CallFollowing, TellSaga } from './call-following.js';
import type { EffectStop } from './effect-stop.js';
import { endedUndo } from './ended-call.js';
import type { SentCalls } from './sent-calls.js';
import { evaluatedInputs, inputsText } from './step-inputs.js';
import { refusalError, submittedCall } from './submitted-call.js';
import { traceparentOf } from './traceparent.js';

const WAIT_MS = 5_000;

interface UndoParts {
  compensations: CompensationSubmitter;
  following: Pick<CallFollowing, 'settled'>;
  outcomes: Pick<CallOutcomes, 'known'>;
  sent: Pick<SentCalls, 'find'>;
  scopes: SagaScopes;
  sealer: Pick<CallSealer, 'ofStep'>;
}

/** Prepares and makes the compensations of steps. Their key comes from the effect, so that they join any other undo of it. */
export class UndoCalls {
  constructor(
    private readonly configuration: Pick<Configuration, 'state'>,
    private readonly parts: UndoParts,
    private readonly keys: TenantKeys,
    private readonly now_ms: () => number,
  ) {}

  async prepare(saga: OpenSaga, run: Run): Promise<SagaOrder> {
    const use = this.useOf(saga, run);
    const how = use ? await this.byOther(saga, run, use) : { tool: run.tool, version: run.version, inputs_json: '{}' };
    if ('code' in how) return unprepared(run, how);
    const state = await this.parts.outcomes.known(saga.tenant_id, run.call_id);
    const deadline_at_ms = this.now_ms() + UNDO_DEADLINE_MS;
    const { call_id, idempotency_key } = this.identity(saga, run, state);
    return {
      kind: 'undo_prepared',
      of_call_id: run.call_id,
      call_id,
      key: idempotency_key,
      ...how,
      deadline_at_ms,
      reason: reasonOf(saga),
    };
  }

  async call(saga: OpenSaga, run: Run, stop: EffectStop, tell: TellSaga): Promise<SagaOrder | undefined> {
    const { following, outcomes } = this.parts;
    const forward = await outcomes.known(saga.tenant_id, run.call_id);
    if (statusOf(forward) === 'compensated') return undone(run, forward);
    const answer = await this.submitted(saga, run, forward);
    const known = 'code' in answer ? await this.sent(saga, run) : answer;
    if (!known) return notUndone(run, answer as CallError);
    const state = await following.settled(known, stop, tell);
    return state && endedUndo(run.call_id, state);
  }

  /** The undo call once it is on the record, or why it cannot be made. */
  private async submitted(saga: OpenSaga, run: Run, forward: CallState): Promise<CallState | CallError> {
    const effect = effectOfCall(forward, this.kindOf(saga, run));
    if (effect instanceof Refusal) return refusalError(effect);
    const by = await this.otherTool(saga, run);
    if (by instanceof EvaluationFault) return by.error;
    const request = { reason: await this.reasonOf(saga), request_id: requestId(saga, run), ...(by ? { by } : {}) };
    const submit = (sink: StateSink) => this.parts.compensations.submit(effect, request, this.submission(saga, run), sink);
    const answer = await submittedCall(submit);
    return answer instanceof Refusal ? refusalError(answer) : answer;
  }

  /** A repeat may be refused although its call is on the record and runs. */
  private async sent(saga: OpenSaga, { undo }: Run): Promise<CallState | undefined> {
    return undo?.call_id ? this.parts.sent.find(saga, undo.call_id) : undefined;
  }

  /** The rationale of the undo call: what the person gave who asked for the undo, else what happened to the saga. */
  private async reasonOf(saga: OpenSaga): Promise<string | undefined> {
    if (!saga.state.is_undo) return reasonOf(saga);
    return (JSON.parse(await this.parts.scopes.outputs.opened(saga.tenant_id, saga.state.inputs_json)) as { reason?: string }).reason;
  }

  private useOf(saga: OpenSaga, run: Run): ToolUse | undefined {
    return this.parts.scopes.definitionOf(saga).step(instanceOf(run.step_id).name).compensation;
  }

  private async byOther(
    saga: OpenSaga,
    run: Run,
    use: ToolUse,
  ): Promise<Pick<Extract<SagaOrder, { kind: 'undo_prepared' }>, 'tool' | 'version' | 'inputs_json'> | CallError> {
    const found = resolveVersion(this.configuration.state, saga.tenant_id, use.tool, use.version);
    if (found.kind !== 'found' && found.kind !== 'blocked')
      return callError('VALIDATION_ERROR', `no version of ${use.tool} is in ${use.version}: the step cannot be undone`, {
        class: 'not_found',
      });
    const inputs = await evaluatedInputs(use.inputs, this.parts.scopes.of(saga, run.step_id));
    if (inputs instanceof EvaluationFault) return inputs.error;
    const text = inputsText(run.step_id, inputs.value);
    if (text instanceof EvaluationFault) return text.error;
    const what = { tool: use.tool, markings: inputs.markings, inputs_json: text };
    const inputs_json = await this.parts.sealer.ofStep(saga.tenant_id, what);
    if (inputs_json instanceof Refusal) return refusalError(inputs_json);
    return { tool: use.tool, version: found.tool.version, inputs_json };
  }

  /** The recorded tool and inputs of a compensation that is not the tool's own. */
  private async otherTool(saga: OpenSaga, run: Run) {
    const { tool, version, inputs_json } = run.undo ?? {};
    if (!this.useOf(saga, run) || tool == null || version == null || inputs_json == null) return undefined;
    const { outputs } = this.parts.scopes;
    const inputs = await outputs.evaluable(saga.tenant_id, inputs_json);
    if (outputs.hasErased(saga.tenant_id, inputs)) return erasedFault(`the inputs of the compensation of ${run.step_id}`);
    return { tool, version, inputs: inputs as Record<string, unknown> };
  }

  /** A compensation that somebody published is trusted like the tool's own; one that came with the request is judged like any call. */
  private kindOf(saga: OpenSaga, run: Run): CompensationKind {
    if (!this.useOf(saga, run)) return 'own';
    const { name, version } = saga.state.definition;
    const published = sagaDefinitionsOf(this.configuration.state, saga.tenant_id).get(name)?.get(version);
    return published?.digest === saga.state.definition_digest ? 'published' : 'inline';
  }

  private callerOf(saga: OpenSaga, run: Run) {
    return saga.state.is_undo || this.kindOf(saga, run) === 'inline' ? starterOf(saga) : compensatorOf(saga);
  }

  private identity(saga: OpenSaga, run: Run, state: CallState) {
    const { tenant_id } = saga;
    const effect = {
      call_id: run.call_id,
      idempotency_key: run.end?.effect_key ?? run.key,
      attempt: Math.max(1, state.attempt),
      kind: 'own',
      also: null,
      late_offset: null,
    } as const;
    const principal_id = this.callerOf(saga, run).principal.id;
    const tenant_key = this.keys.tenantKey(tenant_id);
    const next = { ...run, undo: run.undo && { ...run.undo, requests: run.undo.requests + 1 } };
    return undoIdentity(effect, {
      tenant_id,
      tenant_key,
      principal_id,
      request_id: requestId(saga, next),
      fresh_uuid: uuidv7(this.now_ms()),
    });
  }

  private submission(saga: OpenSaga, run: Run): Submission {
    return {
      caller: this.callerOf(saga, run),
      idempotency_key: undefined,
      traceparent: traceparentOf(saga.correlation_id, run.undo?.call_id ?? run.call_id),
      wait_ms: WAIT_MS,
      span_name: 'saga compensation',
      span_attributes: { 'saga.id': saga.saga_id, 'saga.step': run.step_id },
      warns_of_deprecation: false,
    };
  }
}

/** One for each request to undo the step: a repeat of it is the same call. */
function requestId({ saga_id }: OpenSaga, { call_id, undo }: Run): string {
  return `${saga_id}/${call_id}/${undo?.requests ?? 1}`;
}

function reasonOf({ saga_id, state }: OpenSaga): string {
  const cause = state.turned?.cause ?? 'not_needed';
  const step = state.turned?.failed_step_id;
  return `saga ${saga_id}: ${cause}${step ? ` (${step})` : ''}`;
}

const nothing = { duration_ms: 0, retry_count: 0 };

const unprepared = ({ call_id }: Run, error: CallError): SagaOrder => ({
  kind: 'undo_ended',
  of_call_id: call_id,
  call_id: null,
  result: 'failed',
  error,
  ...nothing,
});

const notUndone = ({ call_id, undo }: Run, error: CallError): SagaOrder => ({
  kind: 'undo_ended',
  of_call_id: call_id,
  call_id: undo?.call_id ?? null,
  result: 'failed',
  error,
  ...nothing,
});

/** The effect was undone before: by this call, or by another one. What its tool could not verify, a person decides. */
function undone(run: Run, { compensation }: CallState): SagaOrder {
  if (compensation?.confirmed === false && compensation.call_id !== run.undo?.call_id) return notUndone(run, UNVERIFIED);
  const result = compensation?.confirmed === false ? 'unconfirmed' : 'executed';
  return { kind: 'undo_ended', of_call_id: run.call_id, call_id: run.undo?.call_id ?? null, result, error: null, ...nothing };
}

const UNVERIFIED = callError(
  'UNKNOWN',
  'the effect was undone before, and the tool could not verify it: see for yourself, then use done_by_hand',
);
