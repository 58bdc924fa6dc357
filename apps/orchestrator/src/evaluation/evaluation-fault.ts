import { type CallError, callError } from '@countersign/contracts';

/** A value of a saga that cannot be evaluated: its step or block fails. The message names the place and no values. */
export class EvaluationFault {
  constructor(readonly message: string) {}

  get error(): CallError {
    return callError('VALIDATION_ERROR', this.message);
  }
}

export const erasedFault = (what: string): EvaluationFault => new EvaluationFault(`${what}: the personal data in it was erased`);
