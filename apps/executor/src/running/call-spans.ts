import { approvalMode, attemptKey, type Outcome, sha256Hex } from '@countersign/contracts';
import type { RunResult } from '@countersign/domain';
import { type CallSpan, type CallTracer, decisionAttributes } from '@countersign/process';
import type { Job } from '../calls/job.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';

/** Observes the attempts of a call. */
export interface RunObserver {
  fired(job: Job): void;
  answered(job: Job, result: RunResult): void;
}

/**
 * The spans of a call at this executor, if an SDK records them: `execute_tool <name>` (OTel's name for it) from its slot to its durable
 * end. Its children are `tool.<name>.dispatch` until the run starts, `tool.<name>.run` for each attempt (linked to the previous one), and
 * `tool.<name>.result` until the end is durable. Inputs and outputs appear only as digests.
 */
export class CallSpans implements RunObserver {
  constructor(
    private readonly tracer: CallTracer,
    private readonly runtime: ToolRuns,
    readonly recording: boolean,
  ) {}

  begin(job: Job): void {
    if (!this.recording || job.span) return;
    const { call, decision_id, traceparent } = job.authorised;
    job.span = this.tracer.start(`execute_tool ${call.tool}`, traceparent);
    const contract = this.runtime.find(job)?.contract;
    if (contract) job.span.set({ ...decisionAttributes(approvalMode(contract), decision_id), 'gen_ai.tool.description': contract.title });
    job.span.set({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': call.tool,
      'gen_ai.tool.type': 'extension',
      'gen_ai.tool.call.id': job.call_id,
      'countersign.call_id': job.call_id,
      ...(call.principal.kind === 'agent' ? { 'gen_ai.agent.id': call.principal.id } : {}),
      ...(call.run_id === null ? {} : { 'gen_ai.conversation.id': call.run_id }),
    });
    this.part(job, 'dispatch', undefined).set(dispatchAttributes(job, contract?.scopes ?? []));
  }

  fired(job: Job): void {
    if (!job.span) return;
    const before = job.part_span?.traceparent;
    job.part_span?.end();
    const link = job.resends > 0 ? before : undefined;
    this.part(job, 'run', link).set({
      'countersign.retry_count': job.resends,
      'countersign.idempotency_key': attemptKey(job.key, job.attempt),
    });
  }

  answered(job: Job, result: RunResult): void {
    if (!job.span || !job.part_span) return;
    job.part_span.set({ 'countersign.run.result': result.kind, 'countersign.run.duration_ms': Math.max(0, Date.now() - job.fired_at_ms) });
    job.part_span.end(result.kind === 'output' ? undefined : result.error.code);
    job.answered_traceparent = job.part_span.traceparent;
    job.part_span = undefined;
  }

  /** The outcome is known; the end is being appended. */
  ending(job: Job, outcome: Outcome): void {
    if (!job.span) return;
    const link = job.answered_traceparent;
    job.part_span?.end();
    this.part(job, 'result', link).set(resultAttributes(outcome, job.call.sealed !== null));
  }

  end(job: Job, outcome: Outcome | undefined): void {
    if (!job.span) return;
    const code = outcome?.error?.code;
    job.part_span?.end(code);
    job.part_span = undefined;
    if (outcome) job.span.set({ 'countersign.status': outcome.status });
    if (code !== undefined) job.span.set({ 'error.type': code });
    job.span.end(code);
    job.span = undefined;
  }

  private part(job: Job, name: 'dispatch' | 'run' | 'result', link: string | undefined): CallSpan {
    job.part_span = this.tracer.start(`tool.${job.call.tool}.${name}`, job.span?.traceparent, undefined, link);
    return job.part_span;
  }
}

function dispatchAttributes({ call, authorised }: Job, scopes: string[]) {
  return {
    'countersign.caller.kind': call.principal.kind,
    'countersign.caller.id': call.principal.id,
    'countersign.scopes': scopes,
    'countersign.inputs_digest': call.inputs_digest,
    'countersign.idempotency_key': call.idempotency_key,
    'countersign.decision_id': authorised.decision_id,
    'countersign.revision': authorised.revision,
    ...(authorised.approval_id === null ? {} : { 'countersign.approval_id': authorised.approval_id }),
  };
}

function resultAttributes(outcome: Outcome, sealed: boolean) {
  const { status, effect, output_json, error, retry_count, duration_ms, truncated, extras } = outcome;
  return {
    'countersign.status': status,
    'countersign.effect': effect,
    'countersign.retry_count': retry_count,
    'countersign.duration_ms': duration_ms,
    'countersign.truncated': truncated,
    'countersign.cached': extras?.cached ?? false,
    ...(output_json === null ? {} : { 'countersign.output_digest': sha256Hex(output_json) }),
    ...(error ? { 'error.type': error.code, 'exception.type': error.class } : {}),
    ...(error && !sealed ? { 'exception.message': error.message } : {}),
  };
}
