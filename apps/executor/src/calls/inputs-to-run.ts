import { runningInputs } from '@countersign/domain';
import type { Job } from './job.js';

/** The parsed inputs of a call: the mapped ones if a mapping is in force, otherwise the agent's. */
export function inputsToRun(job: Job): unknown {
  const { call } = job.readable;
  return call.mapped || job.inputs === undefined ? (JSON.parse(runningInputs(call)) as unknown) : job.inputs;
}
