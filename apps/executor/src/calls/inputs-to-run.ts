import { runningInputs } from '@countersign/domain';
import type { Job } from './job.js';

/** The inputs that a call runs with, parsed: the mapped ones where a mapping is in force, else the agent's. */
export function inputsToRun(job: Job): unknown {
  const { call } = job.readable;
  return call.mapped || job.inputs === undefined ? (JSON.parse(runningInputs(call)) as unknown) : job.inputs;
}
