import { approvalMode, type Outcome } from '@countersign/contracts';
import { type CallTracer, decisionAttributes } from '@countersign/process';
import type { InProcessRuntime } from '../runtimes/in-process/in-process-runtime.js';
import type { Job } from './job.js';

/** One span a call that gets a slot, from there to its durable end; nothing where no SDK is loaded. */
export class CallSpans {
  constructor(
    private readonly tracer: CallTracer,
    private readonly runtime: InProcessRuntime,
    private readonly recording: boolean,
  ) {}

  begin(job: Job): void {
    if (!this.recording || job.span) return;
    const { call, decision_id, traceparent } = job.authorised;
    job.span = this.tracer.start(`execute_tool ${call.tool}`, traceparent);
    const contract = this.runtime.find(job)?.contract;
    if (contract) job.span.set(decisionAttributes(approvalMode(contract), decision_id));
    job.span.set({ 'gen_ai.tool.name': call.tool, 'countersign.call_id': job.call_id });
  }

  end(job: Job, outcome: Outcome | undefined): void {
    if (outcome) job.span?.set({ 'countersign.status': outcome.status });
    job.span?.end(outcome?.error?.code);
    job.span = undefined;
  }
}
