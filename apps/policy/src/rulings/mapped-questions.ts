import type { MappedInputs } from '@countersign/contracts';
import type { RemappedInputs } from '@countersign/decisions';
import { isUnmappable, type TenantMappings, type Unmappable } from '@countersign/process';
import type { OpenedQuestion } from './personal-questions.js';

/** A question with the form of its inputs that would run. */
export interface MappedQuestion extends OpenedQuestion {
  /** Made here: the call was admitted before mappings were made at admission, or by a gateway that had not heard of this one. */
  late?: MappedInputs;
  /** The mapping in force does not take its inputs. */
  unmappable?: Unmappable;
  /** Inputs that a cap lowers, mapped. */
  remapped?: RemappedInputs;
}

/** Completes questions whose mapped form is not on the record, so that nothing is ruled on that will not run. */
export class MappedQuestions {
  constructor(private readonly mappings: TenantMappings) {}

  /** The questions themselves where the record has all that is needed, which is the usual case. */
  complete(questions: readonly OpenedQuestion[]): readonly MappedQuestion[] | Promise<readonly MappedQuestion[]> {
    const made = questions.map(({ tenant_id, call, opened }) =>
      call.mapped || opened === 'erased' ? undefined : this.mappings.inputs(tenant_id, call, call.inputs_json),
    );
    if (made.every((one) => one === undefined)) return questions;
    return Promise.all(questions.map(async (question, at) => completed(question, await made[at])));
  }

  /** The question with the mapped form of inputs that a cap lowers. */
  async lowered<Q extends MappedQuestion>(question: Q, inputs_json: string): Promise<Q> {
    const mapped = await this.mappings.otherInputs(question.tenant_id, question.call, inputs_json);
    if (!mapped) return question;
    return isUnmappable(mapped) ? { ...question, unmappable: mapped } : { ...question, remapped: { inputs_json, mapped } };
  }
}

function completed(question: OpenedQuestion, made: MappedInputs | Unmappable | undefined): MappedQuestion {
  if (!made) return question;
  if (isUnmappable(made)) return { ...question, unmappable: made };
  return { ...question, call: { ...question.call, mapped: made }, late: made };
}
