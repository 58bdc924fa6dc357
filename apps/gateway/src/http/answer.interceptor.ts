import type { Logger } from '@countersign/process';
import { StandardSchemaSerializerInterceptor } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { z } from 'zod';

/** Pointers of the members that `sent` lacks. A schema drops what it does not declare without a word. */
function dropped(made: unknown, sent: unknown, at = ''): string[] {
  if (typeof made !== 'object' || made === null) return [];
  return Object.entries(made).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const kept = (sent as Record<string, unknown>)[name];
    return kept === undefined ? [`${at}/${name}`] : dropped(value, kept, `${at}/${name}`);
  });
}

/**
 * Sends an answer by the schema that its route states with `@Answer()`. One that does not fit is a fault of ours: it is
 * logged and sent as it is. Where answers are `strict` (tests) it fails the request, as does a member that is not declared.
 */
export class AnswerInterceptor extends StandardSchemaSerializerInterceptor {
  constructor(
    reflector: Reflector,
    private readonly logger: Pick<Logger, 'error'>,
    private readonly is_strict: boolean,
  ) {
    super(reflector);
  }

  override async transformToPlain(made: object, schema: z.ZodType): Promise<object> {
    const result = schema.safeParse(made);
    const faults = result.success
      ? this.undeclared(made, result.data)
      : result.error.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`);
    if (faults.length === 0) return result.data as object;
    if (this.is_strict) throw new Error(`the answer is not what its route declares: ${faults.join('; ')}`);
    this.logger.error(
      { event: 'answer_not_declared', schema: schema.meta()?.id, faults: faults.slice(0, 10) },
      'an answer does not fit its schema',
    );
    return made;
  }

  private undeclared(made: object, sent: unknown): string[] {
    return this.is_strict ? dropped(made, sent).map((path) => `${path}: is not declared`) : [];
  }
}
