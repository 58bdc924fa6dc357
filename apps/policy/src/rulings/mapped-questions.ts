import type { MappedInputs } from '@countersign/contracts';
import type { RemappedInputs } from '@countersign/decisions';
import { isUnmappable, type TenantMappings, type Unmappable } from '@countersign/process';
import type { OpenedQuestion } from './personal-questions.js';

/** A question with the inputs that would run. */
export interface MappedQuestion extends OpenedQuestion {
  /** Mapped here: the call was admitted before mapping at admission existed, or by a gateway that did not know this mapping. */
  late?: MappedInputs;
  /** The mapping in force refuses its inputs. */
  unmappable?: Unmappable;
  /** The mapped form of inputs that a cap lowers. */
  remapped?: RemappedInputs;
}

/** Adds the mapped inputs to questions whose record lacks them, so that decisions are made only on inputs that would run. */
export class MappedQuestions {
  constructor(private readonly mappings: TenantMappings) {}

  /** Returns the questions synchronously if the record has all that is needed, the usual case. */
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
