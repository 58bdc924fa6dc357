import type { CallEvent } from '@countersign/domain';
import type { FireGate } from '../running/fire-gate.js';
import type { Job } from '../running/job.js';
import type { Starts } from '../running/starts.js';

/** Stands between a claim and its effect: a durable start, then a last look. */
export class Start {
  constructor(
    private readonly starts: Starts,
    private readonly gate: FireGate,
  ) {}

  start(job: Job): Promise<CallEvent> {
    return this.starts.start(job);
  }

  pass(job: Job): CallEvent | Promise<CallEvent | undefined> {
    return this.gate.pass(job);
  }

  hold(job: Job): void {
    this.gate.hold(job);
  }
}
