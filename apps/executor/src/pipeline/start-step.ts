import type { CallEvent } from '@countersign/domain';
import type { Job } from '../calls/job.js';
import type { UndoneEffects } from '../claims/undone-effects.js';
import type { PreExecutionGate } from '../judging/pre-execution-gate.js';
import type { StartRecorder } from '../recording/start-recorder.js';

/** The steps between a claim and its effect: a durable start, then a final check. */
export class StartStep {
  constructor(
    private readonly starts: StartRecorder,
    private readonly gate: PreExecutionGate,
    private readonly undone: Pick<UndoneEffects, 'ready'>,
  ) {}

  start(job: Job): Promise<CallEvent> {
    return this.starts.record(job);
  }

  /** An undo needs its effect loaded; if it cannot be read now, the next tick tries again. */
  pass(job: Job): CallEvent | Promise<CallEvent | undefined> {
    if (job.call.compensates && !job.undone) return this.undone.ready(job).catch(() => 'gate_closed');
    return this.gate.pass(job);
  }

  hold(job: Job): void {
    this.gate.hold(job);
  }
}
