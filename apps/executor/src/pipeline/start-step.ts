import type { CallEvent } from '@countersign/domain';
import type { Job } from '../calls/job.js';
import type { PreExecutionGate } from '../judging/pre-execution-gate.js';
import type { StartRecorder } from '../recording/start-recorder.js';

/** Stands between a claim and its effect: a durable start, then a last look. */
export class StartStep {
  constructor(
    private readonly starts: StartRecorder,
    private readonly gate: PreExecutionGate,
  ) {}

  start(job: Job): Promise<CallEvent> {
    return this.starts.record(job);
  }

  pass(job: Job): CallEvent | Promise<CallEvent | undefined> {
    return this.gate.pass(job);
  }

  hold(job: Job): void {
    this.gate.hold(job);
  }
}
