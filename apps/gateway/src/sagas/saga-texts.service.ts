import { CallSealer, CompiledContracts, isTooDeep, Refusal } from '@countersign/calls';
import { canonicalText, type JsonSchema } from '@countersign/contracts';
import { instanceOf } from '@countersign/domain';
import type { SagaRow } from '@countersign/store';
import { Injectable } from '@nestjs/common';
import type { WaitAnswer } from './saga-request.schemas.js';
import { parsed } from './saga-summary.js';

/** Bytes of canonical JSON of the answer of a wait. */
export const ANSWER_BYTES_MAX = 65_536;

const issue = (path: string, message: string): Refusal =>
  new Refusal('invalid-request', `${path}: ${message}`, { issues: [{ path, code: 'required', message }] });
const unfit = (detail: string, issues: readonly { path: string; code: string; message: string }[] = []): Refusal =>
  new Refusal('invalid-inputs', detail, { layer: 'input', issues });

/** Texts that people and systems send to sagas: reasons, and the answers of waits. */
@Injectable()
export class SagaTexts {
  private readonly schemas = new CompiledContracts();

  constructor(private readonly sealer: CallSealer) {}

  /** A reason as it is recorded. */
  reason(tenant_id: string, subjects: readonly string[], text: string | undefined): Promise<string | null | Refusal> {
    return this.sealed(tenant_id, subjects, text ?? null);
  }

  /** The answer of a wait as it is recorded; it must fit the schema that the definition declares. */
  async answer(saga: SagaRow, step_id: string, { outcome, answer, subjects }: WaitAnswer): Promise<string | null | Refusal> {
    const fault = outcome === 'answered' ? this.fault(saga, step_id, answer) : undefined;
    const text = fault ?? answerText(answer);
    return text instanceof Refusal ? text : this.sealed(saga.tenant_id, subjects, text, 'json');
  }

  private fault({ answer_schemas, definition_digest }: SagaRow, step_id: string, answer: unknown): Refusal | undefined {
    if (answer !== undefined && isTooDeep(answer)) return unfit('the answer is nested too deeply');
    const { name } = instanceOf(step_id);
    const schemas = (parsed(answer_schemas) ?? {}) as Readonly<Record<string, JsonSchema>>;
    if (!Object.hasOwn(schemas, name)) return undefined;
    if (answer === undefined) return unfit(`the wait ${name} needs an answer: the saga shows its schema`);
    const contract = { input_schema: schemas[name] as JsonSchema };
    const check = this.schemas.of({ digest: `wait ${name} ${definition_digest}`, contract });
    if (typeof check === 'string') return unfit(`the schema of the answer cannot be used: ${check}`);
    const issues = check(answer as Record<string, unknown>);
    const [first] = issues;
    return first && unfit(`${first.path || 'the answer'}: ${first.message}`, issues);
  }

  /** A text about data subjects is sealed under their keys. */
  private async sealed(
    tenant_id: string,
    subjects: readonly string[],
    text: string | null,
    form: 'text' | 'json' = 'text',
  ): Promise<string | null | Refusal> {
    if (text === null || subjects.length > 0)
      return form === 'json' ? this.sealer.jsonAbout(tenant_id, subjects, text) : this.sealer.about(tenant_id, subjects, text);
    return this.sealer.forged(tenant_id, text) ?? text;
  }
}

function answerText(answer: unknown): string | null | Refusal {
  if (answer === undefined) return null;
  const text = canonicalAnswer(answer);
  if (text instanceof Refusal) return text;
  const bytes = Buffer.byteLength(text);
  return bytes <= ANSWER_BYTES_MAX ? text : issue('/answer', `has ${bytes} bytes of JSON, at most ${ANSWER_BYTES_MAX} are allowed`);
}

function canonicalAnswer(answer: unknown): string | Refusal {
  try {
    return canonicalText(answer);
  } catch (cause) {
    return issue('/answer', cause instanceof Error ? cause.message : 'is not canonical JSON');
  }
}
