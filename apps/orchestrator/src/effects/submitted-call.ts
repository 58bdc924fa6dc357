import { meaningOf, Refusal, type StateSink } from '@countersign/calls';
import { type CallError, callError, InfrastructureFault } from '@countersign/contracts';
import type { CallState } from '@countersign/domain';

/**
 * Refusals that say nothing about the outcome: the request is sent again. Without a ruling the call is on the record, and may still run.
 */
const PASSING = new Set(['unavailable', 'too-many-in-flight', 'record-damaged', 'no-ruling-yet']);

/**
 * The state of a call when it is answered or waits, or why it was refused. @throws InfrastructureFault if it must be sent again
 */
export async function submittedCall(submit: (sink: StateSink) => void | Promise<void>): Promise<CallState | Refusal> {
  const answer = await new Promise<CallState | Refusal>((resolve, reject) => {
    Promise.resolve(submit({ settled: resolve, refused: resolve })).catch(reject);
  });
  if (answer instanceof Refusal && PASSING.has(answer.kind)) throw new InfrastructureFault(answer.detail);
  return answer;
}

/** The error of a step whose call was refused, with the faults of its inputs. */
export function refusalError({ kind, detail, more }: Refusal): CallError {
  const { code, class: errorClass } = meaningOf(kind);
  const { layer, issues } = more;
  return callError(code, detail, { class: errorClass, ...(issues ? { details: { layer, issues } } : {}) });
}
